import { Refusal } from '../../domain/errors.ts';
import type { ShedClients } from '../connections/shed-clients.ts';
import type { Workload } from '../connections/workload.ts';
import type { Step } from './step.ts';

/** Sheds requests while too many are running, before anything is spent on them. The operator's are never shed. */
export function shedLoad(workload: Workload, shedClients: ShedClients): Step {
  return ({ state, raw }) => {
    if (!workload.isFull || state.operation?.scope === 'operate') return undefined;
    shedClients.backOff(raw.socket);
    return new Refusal('overloaded');
  };
}
