import type { ReadCache } from '../read-cache.ts';
import { withConditions } from '../request/conditions.ts';
import type { SendResponse } from '../response/send.ts';
import type { Step } from './step.ts';

/** Sends a cached response. The steps before this one have settled whether the caller may have it. */
export function answerFromCache(cache: ReadCache, sendResponse: SendResponse): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.cacheableUntil || !caller) return undefined;
    const cached = cache.find(caller.workspaceId, request.raw.url!, operation.cacheableUntil);
    if (!cached) return undefined;
    sendResponse(request, reply, withConditions(request, cached));
    return 'answered';
  };
}
