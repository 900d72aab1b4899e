import { Refusal } from '../../domain/errors.ts';
import type { ShedClients } from '../connections/shed-clients.ts';
import { type Workload, workKindOf } from '../connections/workload.ts';
import type { Step } from './step.ts';

/** Sheds requests while too many of their kind are running, before they cost anything. Requests of the operator are never shed. */
export function shedLoad(workload: Workload, shedClients: ShedClients): Step {
  return ({ state, raw }) => {
    const { operation } = state;
    const kind = operation ? workKindOf(operation) : 'read';
    if (!workload.isFull(kind) || operation?.scope === 'operate') return undefined;
    shedClients.backOff(raw.socket);
    return new Refusal('overloaded');
  };
}
