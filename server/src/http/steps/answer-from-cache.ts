import type { ReadCache } from '../read-cache.ts';
import { withConditions } from '../request/conditions.ts';
import type { Respond } from '../response/send.ts';
import type { Step } from './step.ts';

/** Sends a cached response. The steps before this one have settled whether the caller may have it. */
export function answerFromCache(cache: ReadCache, respond: Respond): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.repeatableUntil || !caller) return undefined;
    const cached = cache.find(caller.workspaceId, request.raw.url!, operation.repeatableUntil);
    if (!cached) return undefined;
    respond(request, reply, withConditions(request, cached));
    return 'answered';
  };
}
