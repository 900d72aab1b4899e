import { metConditions } from '../answer.ts';
import type { KnownAnswers } from '../known-answers.ts';
import { prepare, type Respond } from '../respond.ts';
import { ANSWERED, type Step } from './steps.ts';

/** Gives an answer that is known to stand; who may have it was settled before. */
export function answerKnown(known: KnownAnswers, respond: Respond): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.isRepeatable || !caller) return undefined;
    const found = known.find(request, caller.workspaceId);
    if (!found) return undefined;
    const { answer, prepared } = found;
    const met = metConditions(request, answer);
    respond(request, reply, met === answer ? prepared : prepare(met));
    return ANSWERED;
  };
}
