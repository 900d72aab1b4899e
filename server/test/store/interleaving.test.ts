// Runs another unit of work before every single statement of a unit of work, unless a row lock prevents it. Whatever
// the outcome, counts, orders and ledger must agree.

import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Transaction, transactionOver } from '../../src/datastore/datastore.ts';
import { LedgerAuditReader } from '../../src/datastore/maintenance/ledger-audit.ts';
import type { Row, Runner, Statement, Value } from '../../src/datastore/runner.ts';
import { openFile } from '../../src/datastore/sqlite/file.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import type { Caller } from '../../src/domain/key.ts';
import { adjustInventory, updateInventory } from '../../src/services/inventory.ts';
import { cancelOrder, placeOrder, updateOrder } from '../../src/services/orders.ts';
import { createPet, deletePet, updatePet } from '../../src/services/pets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NOW = 1_800_000_000_000;
const caller: Caller = {
  keyId: 'key',
  workspaceId: 1,
  scopes: [],
  limits: { perMinute: 1, perDay: 1 },
};
const always = () => undefined;

interface Interruption {
  before: number;
  by: () => Promise<unknown>;
}

/**
 * Runs statements one by one as PostgreSQL would at READ COMMITTED: a row that was written, or read by a
 * statement that locks, is kept from others until the end. Before one statement it lets somebody else in.
 */
class InterruptedRunner implements Runner {
  readonly engine = 'sqlite';
  readonly #db: Database.Database;
  readonly #interruption: Interruption | undefined;
  readonly #locked = new Set<string>();
  readonly #lockedByOther: ReadonlySet<string>;
  #count = 0;

  constructor(db: Database.Database, interruption?: Interruption, other?: InterruptedRunner) {
    this.#db = db;
    this.#interruption = interruption;
    this.#lockedByOther = other ? other.#locked : new Set();
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.rows(statement, values))[0];
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#prepare(statement, values)).raw().all(named(values)) as R[];
  }

  async run(statement: Statement, values: readonly Value[]) {
    return (await this.#prepare(statement, values)).run(named(values)).changes;
  }

  async runEach(statement: Statement, values: readonly (readonly Value[])[]) {
    let touched = 0;
    for (const each of values) touched += await this.run(statement, each);
    return touched;
  }

  async rowEach<R extends Row>(statement: Statement<R>, values: readonly (readonly Value[])[]) {
    const rows: (R | undefined)[] = [];
    for (const each of values) rows.push(await this.row(statement, each));
    return rows;
  }

  async runLater(statement: Statement, values: readonly Value[]) {
    await this.run(statement, values);
  }

  commitSingle(_change: unknown, steps: () => Promise<number | undefined>) {
    return steps();
  }

  async guard() {
    return undefined;
  }

  async #prepare({ text, locks }: Statement, values: readonly Value[]) {
    this.#count += 1;
    if (this.#count === this.#interruption?.before) await this.#interruption.by();
    const [, change, table] =
      /^\s*(?:(UPDATE|DELETE FROM) |.*FROM )(pets|orders)/s.exec(text) ?? [];
    if (table && (locks || change)) {
      const row = `${table} ${values[0]}`;
      if (this.#lockedByOther.has(row)) throw new Error('would wait for the other unit');
      this.#locked.add(row);
    }
    return this.#db.prepare(text.replace(/\$(\d+)/g, ':v$1'));
  }
}

function named(values: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(values.map((value, at) => [`v${at + 1}`, value]));
}

const changeOf = (id: number) => ({ caller, id, checkMatch: always, now: NOW });

type Work = (tx: Transaction) => Promise<unknown>;

const place = (petId: number, complete = false): Work => {
  const order = { petId, quantity: 1, complete };
  return (tx) => placeOrder(tx, { caller, order, now: NOW });
};
const patch =
  (change: object): Work =>
  (tx) =>
    updateOrder(tx, { ...changeOf(1), patch: change });

/** Of pet 1 there are two units, one of them in order 1; of pet 2 there is one. */
const units: Record<string, Work> = {
  'an order of the last unit': place(1),
  'an order of the last unit at once': place(1, true),
  'a raise of the order': patch({ quantity: 2 }),
  'the completion of the order': patch({ complete: true }),
  'a raise with completion': patch({ quantity: 2, complete: true }),
  'the cancelling of the order': (tx) => cancelOrder(tx, changeOf(1)),
  'a count': (tx) => updateInventory(tx, { ...changeOf(1), count: { quantity: 1 } }),
  'an adjustment': (tx) =>
    adjustInventory(tx, { ...changeOf(1), adjustment: { delta: -1, reason: 'x' } }),
  'a hold': (tx) => updatePet(tx, { ...changeOf(1), patch: { status: 'pending' } }),
  'an order of the other pet': place(2),
  'the deletion of the other pet': (tx) => deletePet(tx, changeOf(2)),
};

const over = (runner: Runner) => transactionOver(runner, (work) => work());

describe('a unit of work that is interrupted', () => {
  const folder = temporaryFolder();
  let db: Database.Database;
  beforeAll(async () => {
    const file = `${folder.path}/petstore.db`;
    migrateSqlite(file);
    db = openFile(file);
    db.pragma('foreign_keys = ON');
    db.exec(`INSERT INTO workspaces (name, plan, created_at) VALUES ('w', 'free', 0);
      INSERT INTO categories (workspace_id, name, name_key, words) VALUES (1, 'c', 'c', '[]')`);
    const tx = over(new InterruptedRunner(db));
    await createPet(tx, { caller, pet: { name: 'Rex', categoryId: 1 }, now: NOW });
    await createPet(tx, { caller, pet: { name: 'Max', categoryId: 1 }, now: NOW });
    await updateInventory(tx, { ...changeOf(1), count: { quantity: 2 } });
    await placeOrder(tx, { caller, order: { petId: 1, quantity: 1, complete: false }, now: NOW });
  });
  afterAll(() => {
    db.close();
    folder.remove();
  });

  /** Runs a unit of work, interrupted before the given statement. Returns whether it reached that statement. */
  async function attempt(work: Work, before: number, other: Work): Promise<boolean> {
    let isReached = false;
    const by = async () => {
      isReached = true;
      db.exec('SAVEPOINT other');
      const tx = over(new InterruptedRunner(db, undefined, runner));
      await other(tx).catch(() => db.exec('ROLLBACK TO other'));
    };
    const runner = new InterruptedRunner(db, { before, by });
    db.exec('SAVEPOINT unit');
    await work(over(runner)).catch(() => db.exec('ROLLBACK TO unit'));
    return isReached;
  }

  async function expectAgreement(where: string): Promise<void> {
    const differences = await new LedgerAuditReader(new InterruptedRunner(db)).differences();
    expect(differences, where).toEqual({ reserved: [], ledger: [], links: [] });
    const orphans = db.prepare(
      `SELECT o.id FROM orders o JOIN pets p ON p.id = o.pet_id
       WHERE state = 'open' AND deleted_at > 0`,
    );
    expect(orphans.all(), where).toEqual([]);
  }

  it.each(Object.keys(units))('leaves consistent counts: %s', async (name) => {
    for (const [other, interruption] of Object.entries(units)) {
      for (let before = 1, isReached = true; isReached; before++) {
        db.exec('SAVEPOINT fresh');
        try {
          isReached = await attempt(units[name]!, before, interruption);
          await expectAgreement(`${other} before statement ${before}`);
        } finally {
          db.exec('ROLLBACK TO fresh; RELEASE fresh');
        }
        expect(before > 1 || isReached).toBe(true);
      }
    }
  });
});
