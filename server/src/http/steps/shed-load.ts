import { Refusal } from '../../domain/errors.ts';
import type { Connections } from '../connections/connections.ts';
import type { Workload } from '../connections/workload.ts';
import type { Step } from './step.ts';

/** Sheds requests while too many are running, before anything is spent on them. The operator's are never shed. */
export function shedLoad(workload: Workload, connections: Connections): Step {
  return ({ state, raw }) => {
    if (!workload.isFull || state.operation?.tag === 'admin') return undefined;
    connections.putOff(raw.socket);
    return new Refusal('overloaded');
  };
}
