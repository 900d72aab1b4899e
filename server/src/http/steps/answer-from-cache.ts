import type { ReadCache } from '../read-cache.ts';
import { withConditions } from '../request/conditions.ts';
import { prepare, type Respond } from '../response/send.ts';
import { ANSWERED, type Step } from './step.ts';

/** Gives an answer that is known to stand; who may have it was settled before. */
export function answerFromCache(cache: ReadCache, respond: Respond): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.isRepeatable || !caller) return undefined;
    const found = cache.find(request, caller.workspaceId);
    if (!found) return undefined;
    const { answer, prepared } = found;
    const met = withConditions(request, answer);
    respond(request, reply, met === answer ? prepared : prepare(met));
    return ANSWERED;
  };
}
