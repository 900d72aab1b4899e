import pg from 'pg';
import { Conflict, ConstraintViolation, StorageUnavailable } from '../failures.ts';

/** The connection is gone. What was not yet being committed did not happen. */
export class ConnectionLost extends StorageUnavailable {}

const constraintKinds: Record<string, ConstraintViolation['kind']> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
};

// Serialisation failure and deadlock: the engine undid one of two units so that the other could go on.
const CONFLICTS = new Set(['40001', '40P01']);
// Shutting down or starting up, a session that was ended, and a server that has become a read-only
// replica: this connection will not get better, the next one may reach a server that serves.
const LOST = /^(08|57P0|25006|25P03|25P04)/;
// Out of resources, cancelled by a timeout, input/output errors and damage.
const UNAVAILABLE = /^(53|55P03|57|58|XX)/;

/** What the port says of an error that came over a connection. */
export function failureOf(err: unknown): unknown {
  // Whatever ends a batch and does not come from the server is the end of the connection.
  if (!(err instanceof pg.DatabaseError)) return new ConnectionLost(err);
  const code = err.code ?? '';
  const kind = constraintKinds[code];
  if (kind) return new ConstraintViolation(kind, err);
  if (CONFLICTS.has(code)) return new Conflict(err.message, { cause: err });
  if (LOST.test(code) || err.severity === 'FATAL') return new ConnectionLost(err);
  return UNAVAILABLE.test(code) ? new StorageUnavailable(err) : err;
}
