import type { Socket } from 'node:net';
import { Refusal } from '../../domain/errors.ts';
import { type Connections, updateReading } from '../connections/connections.ts';
import { type Workload, workKindOf } from '../workload.ts';
import type { Step } from './step.ts';

/** At least what Retry-After says. */
const BACK_OFF_MS = 1_000;

/** Sheds requests while too many of their kind are running, before they cost anything. Requests of the operator are never shed. */
export function shedLoad(workload: Workload, connections: Connections): Step {
  return ({ state, raw }) => {
    const { operation } = state;
    const kind = operation ? workKindOf(operation) : 'read';
    if (!workload.isFull(kind) || operation?.scope === 'operate') return undefined;
    backOff(connections, raw.socket);
    return new Refusal('overloaded');
  };
}

/**
 * Makes a shed client back off: until its Retry-After is over, nothing is read from it. Thousands of clients that retry at
 * once would otherwise leave no time for the requests that are served. It starts when the response is written. Until then
 * Node reads on, because a body may still arrive.
 */
function backOff(connections: Connections, socket: Socket): void {
  const connection = connections.find(socket);
  connection?.response?.once('close', () => {
    if (connection.isBackingOff || connection.isClosing) return;
    connection.isBackingOff = true;
    updateReading(connection);
    setTimeout(() => {
      connection.isBackingOff = false;
      updateReading(connection);
    }, BACK_OFF_MS).unref();
  });
}
