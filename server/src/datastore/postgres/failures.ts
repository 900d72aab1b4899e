import pg from 'pg';
import { Conflict, ConstraintViolation, StorageUnavailable } from '../failures.ts';
import { TRANSACTION_POOLING } from './session.ts';

/** The connection is lost. Nothing was committed unless COMMIT had been sent. */
export class ConnectionLost extends StorageUnavailable {}

/** A row stayed locked for longer than the transaction may wait for it. */
export class LockTimeout extends StorageUnavailable {}

/**
 * The unit must run again: a change that travelled with another statement failed, its group failed, or its work threw
 * before these were known to succeed. It then sends each statement by itself and joins no group.
 */
export class MustRunAgain extends Error {}

const constraintKinds: Record<string, ConstraintViolation['kind']> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
};

// A statement that this connection has prepared is unknown, or known under another text.
const POOLED = new Set(['26000', '42P05']);
const LOCK_NOT_AVAILABLE = '55P03';
// Serialisation failure and deadlock: the engine aborted one of two transactions so that the other could go on.
const CONFLICTS = new Set(['40001', '40P01']);
// The server shuts down or starts up, a session was terminated, or the server is a read-only replica, which refuses a write
// (25006) and a transaction that may write (25001). This connection stays useless; a new one may reach a server that serves.
const LOST = /^(08|57P0|25001|25006|25P03|25P04)/;
// Out of resources, cancelled by a timeout, input/output errors and damage.
const UNAVAILABLE = /^(53|57|58|XX)/;

/** Translates an error of a connection into an error of the port. */
export function failureOf(err: unknown): unknown {
  // An error that does not come from the server means that the connection ended.
  if (!(err instanceof pg.DatabaseError)) return new ConnectionLost(err);
  const code = err.code ?? '';
  const kind = constraintKinds[code];
  if (kind) return new ConstraintViolation(kind, err);
  if (POOLED.has(code)) return new ConnectionLost(TRANSACTION_POOLING);
  if (CONFLICTS.has(code)) return new Conflict(err.message, { cause: err });
  if (code === LOCK_NOT_AVAILABLE) return new LockTimeout(err);
  if (LOST.test(code) || err.severity === 'FATAL') return new ConnectionLost(err);
  return UNAVAILABLE.test(code) ? new StorageUnavailable(err) : err;
}

/** What to do about a refusal that the settings of this node cause. */
export function remedyOf(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  const code = (err as { code?: string }).code ?? '';
  if (code === '28P01' || code === '28000' || /client password must be/.test(err.message)) {
    return 'check the user and the password in PETSTORE_DATABASE_URL';
  }
  if (code === '3D000') return 'create the database, or name another in PETSTORE_DATABASE_URL';
  if (code === '42501') return 'make the user of PETSTORE_DATABASE_URL the owner of the database';
  if (code === 'ENOTFOUND') return 'check the host in PETSTORE_DATABASE_URL';
  if (/does not support SSL/.test(err.message)) {
    return 'enable TLS on the server, or set sslmode=disable in PETSTORE_DATABASE_URL';
  }
  if (/statement pooling mode/.test(err.message)) {
    return 'set pool_mode to session or transaction in PgBouncer';
  }
  return undefined;
}
