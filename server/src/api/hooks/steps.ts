import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';

export const ANSWERED = Symbol('answered');

/** Why a request goes no further, if it does not; a promise only where something had to be waited for. */
export type Finding = Refusal | typeof ANSWERED | undefined;
export type Step = (request: FastifyRequest, reply: FastifyReply) => Finding | Promise<Finding>;

type Answer = (err: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * One hook out of many steps: each costs a call, where a hook costs a round through the framework. The first
 * refusal is answered at once.
 */
export function inOrder(steps: readonly Step[], refuse: Answer) {
  const take = (request: FastifyRequest, reply: FastifyReply, done: () => void, from: number) => {
    for (let at = from; at < steps.length; at++) {
      const found = steps[at]!(request, reply);
      if (found === undefined) continue;
      if (found instanceof Promise) {
        const goOn = () => take(request, reply, done, at + 1);
        found
          .then((settled) => (settled === undefined ? goOn() : end(settled, request, reply)))
          .catch((err: unknown) => refuse(err, request, reply));
      } else {
        end(found, request, reply);
      }
      return;
    }
    done();
  };
  const end = (found: Refusal | typeof ANSWERED, request: FastifyRequest, reply: FastifyReply) => {
    if (found !== ANSWERED) refuse(found, request, reply);
  };
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    try {
      take(request, reply, done, 0);
    } catch (err) {
      refuse(err, request, reply);
    }
  };
}
