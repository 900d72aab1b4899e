import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../domain/errors.ts';

export const ANSWERED = Symbol('answered');

/** Why a request goes no further, if it does not; a promise only where something had to be waited for. */
export type Finding = Refusal | typeof ANSWERED | undefined;
export type Step = (request: FastifyRequest, reply: FastifyReply) => Finding | Promise<Finding>;
