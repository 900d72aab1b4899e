import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';

/** How many requests are between their handler's start and its end. */
export class Workload {
  /**
   * More in work than this mean that storage cannot keep up: each one more would wait in vain and make the
   * others wait. It is far above what a healthy service ever has in work at once.
   */
  static runningMax = 2_048;

  running = 0;

  get isFull(): boolean {
    return this.running >= Workload.runningMax;
  }

  /** The same handler, counted while it runs. */
  counted<A extends unknown[], T>(handler: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
    return async (...args) => {
      this.running += 1;
      try {
        return await handler(...args);
      } finally {
        this.running -= 1;
      }
    };
  }
}

/** Turns requests away, before anything is spent on them, while there is too much to do; the operator's never. */
export function shedLoad(workload: Workload) {
  return (request: FastifyRequest, _: FastifyReply, done: (err?: Error) => void) => {
    if (!workload.isFull) done();
    else if (request.routeOptions.config.operation?.tag === 'admin') done();
    else done(new Refusal('overloaded'));
  };
}
