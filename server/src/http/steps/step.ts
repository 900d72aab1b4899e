import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';

/** Undefined: the request goes on to the next step. Otherwise it ends here, refused or answered. */
export type StepResult = Refusal | 'answered' | undefined;

/** Returns a promise only where it has to wait for something. */
export type Step = (
  request: FastifyRequest,
  reply: FastifyReply,
) => StepResult | Promise<StepResult>;
