import { Refusal } from '../../domain/errors.ts';
import type { Connections } from '../connections.ts';
import type { Step } from './steps.ts';

/** How many requests are between their handler's start and its end. */
export class Workload {
  /**
   * More in work than this mean that storage cannot keep up: each one more would wait in vain and make the
   * others wait. It is far above what a healthy service ever has in work at once.
   */
  static runningMax = 4_096;

  running = 0;

  get isFull(): boolean {
    return this.running >= Workload.runningMax;
  }
}

/** Turns requests away, before anything is spent on them, while there is too much to do; the operator's never. */
export function shedLoad(workload: Workload, connections: Connections): Step {
  return ({ state, raw }) => {
    if (!workload.isFull || state.operation?.tag === 'admin') return undefined;
    connections.putOff(raw.socket);
    return new Refusal('overloaded');
  };
}
