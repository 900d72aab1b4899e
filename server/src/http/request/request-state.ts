import type { Refusal } from '../../domain/errors.ts';
import type { Caller } from '../../domain/key.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { Operation } from '../../operations/operation.ts';

/** What the hooks learn of a request, for those after them. */
export interface RequestState {
  startedAt: number;
  /** What it asks for, where that is an operation. */
  operation: Operation | undefined;
  /** The headers that the answer will carry, whatever it is. */
  lines: string;
  /** The five headers of the limiter among them. */
  rateLines: string;
  /** The links that an operation on its way out carries. */
  marks: string | undefined;
  /** Whether it is one request in plain HTTP/1.1, which two readers would understand alike. */
  isUnderstood: boolean;
  /** Whether nothing can follow the answer on its connection. */
  isLast: boolean;
  caller: Caller | undefined;
  /** Why there is no caller. */
  identityRefusal: Refusal | undefined;
  verdict: Verdict | undefined;
  /** Set when the answer is an error, for the log and the usage report. */
  errorCode: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
