// The storage port. Writers exist only inside `transact`, so a write outside a transaction does not compile. A unit
// of work awaits nothing but its `tx`: the SQLite driver runs many units in one commit, and a unit that waited for
// anything else would block the others.

import type { Author } from '../domain/logs/audit.ts';
import { CategoryReader, CategoryWriter } from './categories.ts';
import { ChangeReader, ChangeWriter } from './cluster/changes.ts';
import { LeaseReader, LeaseWriter } from './cluster/leases.ts';
import { NodeReader, NodeWriter } from './cluster/nodes.ts';
import { EventReader, EventWriter } from './events.ts';
import { IdempotencyWriter } from './idempotency.ts';
import { KeyReader, KeyWriter } from './keys.ts';
import { LedgerReader } from './ledger.ts';
import { LimitReader, LimitWriter } from './limits.ts';
import { AuditLogReader, AuditLogWriter } from './logs/audit-log.ts';
import { RequestLogReader, RequestLogWriter } from './logs/request-log.ts';
import { LedgerAuditReader, LedgerAuditWriter } from './maintenance/ledger-audit.ts';
import { OldRowWriter } from './maintenance/old-rows.ts';
import { OrderReader, OrderWriter } from './orders/orders.ts';
import { PetReader, PetWriter } from './pets.ts';
import type { Runner } from './runner.ts';
import { StockReader, StockWriter } from './stock.ts';
import { TableReader, TableWriter } from './tables.ts';
import { ErasureReader, ErasureWriter } from './tenants/erasure.ts';
import { ImportWriter } from './tenants/imports.ts';
import { WorkspaceReader, WorkspaceWriter } from './tenants/workspaces.ts';
import { UsageReader, UsageWriter } from './usage.ts';
import { DeliveryReader, DeliveryWriter } from './webhooks/deliveries.ts';
import { WebhookReader, WebhookWriter } from './webhooks/webhooks.ts';

export type Readers = Readonly<ReturnType<typeof readersOver>>;

export interface Transaction extends Readonly<ReturnType<typeof writersOver>> {
  /** Who makes the changes, for the audit log; absent for the service itself. */
  readonly by?: Author;
  /** Runs a part of the work. If it throws, its changes are undone and the rest of the work can go on. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

export const SNAPSHOT_IDLE_MS = 60_000;

export interface TransactOptions {
  /** The workspace that the work is for. No workspace can keep the others from the database. */
  workspaceId?: number;
}

/** All reads of one moment, whatever is committed meanwhile. It holds back the database's own tidying: close it soon. */
export interface Snapshot {
  readonly read: Readers;
  close(): Promise<void>;
}

export interface Datastore {
  readonly read: Readers;
  /** The server in use, with its port; undefined where the database is a file. */
  readonly host?: string;
  /** Opens a connection of its own. Between two reads of a snapshot no more than SNAPSHOT_IDLE_MS may pass. */
  snapshot(): Promise<Snapshot>;
  /**
   * Resolves once all of the work is committed and durable. If it rejects, nothing was committed, unless the error is
   * OutcomeUnknown: after that error, repeat only what can be repeated, such as work under an idempotency key. The work
   * may run more than once before it is committed, so it changes nothing but its `tx`.
   */
  transact<T>(work: (tx: Transaction) => Promise<T>, options?: TransactOptions): Promise<T>;
  /** Deletes what the driver has stored for itself and no longer needs. */
  tidy(): Promise<void>;
  /** Throws unless storage answers. Returns the database's clock in epoch milliseconds, if it has one of its own. */
  ping(nodeNow: number): Promise<number | undefined>;
  close(): Promise<void>;
}

export function readersOver(runner: Runner) {
  return {
    audit: new LedgerAuditReader(runner),
    auditLog: new AuditLogReader(runner),
    categories: new CategoryReader(runner),
    changes: new ChangeReader(runner),
    deliveries: new DeliveryReader(runner),
    erasure: new ErasureReader(runner),
    events: new EventReader(runner),
    keys: new KeyReader(runner),
    leases: new LeaseReader(runner),
    ledger: new LedgerReader(runner),
    limits: new LimitReader(runner),
    nodes: new NodeReader(runner),
    orders: new OrderReader(runner),
    pets: new PetReader(runner),
    requestLog: new RequestLogReader(runner),
    stock: new StockReader(runner),
    tables: new TableReader(runner),
    usage: new UsageReader(runner),
    webhooks: new WebhookReader(runner),
    workspaces: new WorkspaceReader(runner),
  };
}

export function transactionOver(runner: Runner, attempt: Transaction['attempt']): Transaction {
  return { ...writersOver(runner), attempt };
}

function writersOver(runner: Runner) {
  return {
    categories: new CategoryWriter(runner),
    changes: new ChangeWriter(runner),
    deliveries: new DeliveryWriter(runner),
    erasure: new ErasureWriter(runner),
    events: new EventWriter(runner),
    idempotency: new IdempotencyWriter(runner),
    imports: new ImportWriter(runner),
    keys: new KeyWriter(runner),
    audit: new LedgerAuditWriter(runner),
    auditLog: new AuditLogWriter(runner),
    leases: new LeaseWriter(runner),
    limits: new LimitWriter(runner),
    nodes: new NodeWriter(runner),
    oldRows: new OldRowWriter(runner),
    orders: new OrderWriter(runner),
    ledger: new LedgerReader(runner),
    pets: new PetWriter(runner),
    requestLog: new RequestLogWriter(runner),
    stock: new StockWriter(runner),
    tables: new TableWriter(runner),
    usage: new UsageWriter(runner),
    webhooks: new WebhookWriter(runner),
    workspaces: new WorkspaceWriter(runner),
  };
}

/** Carries the value of a dry run out of the transaction that it undoes. */
class DryRunResult extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super('a dry run');
    this.value = value;
  }
}

/**
 * Runs work as `transact` does, with the same value or error, and keeps none of its changes: its transaction fails at its
 * end. The attempt matters: on PostgreSQL a unit that is a single statement commits at once unless it runs inside an attempt.
 */
export async function dryRun<T>(
  store: Pick<Datastore, 'transact'>,
  work: (tx: Transaction) => Promise<T>,
  options?: TransactOptions,
): Promise<T> {
  const runDry = async (tx: Transaction) => {
    throw new DryRunResult(await work(tx));
  };
  try {
    return await store.transact((tx) => tx.attempt(() => runDry(tx)), options);
  } catch (err) {
    if (err instanceof DryRunResult) return err.value as T;
    throw err;
  }
}

/** Counts that take a new value, never seen before, whenever a change of their kind may have been committed. */
export interface ChangeCounts {
  /** Of the changes of other processes. */
  foreign: () => number;
  /** Of all changes. */
  all: () => string;
}
