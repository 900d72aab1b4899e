import { metConditions } from '../answer.ts';
import type { KnownAnswers } from '../known-answers.ts';
import type { Respond } from '../respond.ts';
import { ANSWERED, type Step } from './steps.ts';

/** Gives an answer that is known to stand; who may have it was settled before. */
export function answerKnown(known: KnownAnswers, respond: Respond): Step {
  return (request, reply) => {
    const { operation, caller } = request.state;
    if (!operation?.isRepeatable || !caller) return undefined;
    const answer = known.find(request, caller.workspaceId);
    if (!answer) return undefined;
    respond(request, reply, metConditions(request, answer));
    return ANSWERED;
  };
}
