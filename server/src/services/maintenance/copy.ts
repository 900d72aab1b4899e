// Copies a store into another database, table by table and in the order of the primary keys, so that an interrupted copy
// continues after the last row it wrote. Before anything is written, the target must be empty or the beginning of a copy.
// At the end both databases are read again and compared row by row.

import type { Datastore } from '../../datastore/datastore.ts';
import { UnusableDatabase } from '../../datastore/failures.ts';
import type { Row } from '../../datastore/runner.ts';
import type { Table } from '../../datastore/table.ts';
import { tables } from '../../datastore/tables.ts';
import { systemClock } from '../../lib/clock.ts';
import { numberAll } from '../events/numbering.ts';
import { recordRun } from '../logs/audit.ts';

interface CopyProgress {
  table: string;
  step: 'checking' | 'copying' | 'comparing';
  done: number;
  total: number;
}

interface CopyResult {
  /** How many rows were compared and are equal. */
  equal: number;
  /** The first difference of each table that has one. */
  differences: string[];
}

const BATCH = 500;

export async function copyStore(
  from: Datastore,
  to: Datastore,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyResult> {
  while (await numberAll(from));
  await refuseArrivals(from);
  for (const table of tables) {
    await refuseOtherRows(from, to, table, (done, total) =>
      onProgress({ table: table.name, step: 'checking', done, total }),
    );
  }
  // The copy has the row too: what both have at the end is equal.
  await from.transact((tx) => recordRun(tx, 'server copy', systemClock.now()));
  for (const table of tables) {
    await copyTable(from, to, table, (done, total) =>
      onProgress({ table: table.name, step: 'copying', done, total }),
    );
  }
  await to.transact((tx) => tx.tables.analyze());
  const result: CopyResult = { equal: 0, differences: [] };
  for (const table of tables) {
    const total = await from.read.tables.count(table);
    const difference = await compareTable(from, to, table, (done) => {
      result.equal += 1;
      if (done % BATCH === 0) onProgress({ table: table.name, step: 'comparing', done, total });
    });
    if (difference) result.differences.push(difference);
  }
  return result;
}

/** A copy has no arrivals, so it would lose them. */
async function refuseArrivals(from: Datastore): Promise<void> {
  if ((await from.read.events.workspacesWithArrivals(0, 1)).length === 0) return;
  throw new UnusableDatabase(
    'some events are not numbered yet: stop every service that uses the source, then copy again',
  );
}

/** The rows that the target has must be the first ones of the source: rows of two stores must not be mixed. */
async function refuseOtherRows(
  from: Datastore,
  to: Datastore,
  table: Table,
  onRows: (done: number, total: number) => void,
): Promise<void> {
  const total = await to.read.tables.count(table);
  let done = 0;
  for (let after: Row | undefined; ; ) {
    const theirs = await to.read.tables.page(table, after, BATCH);
    if (theirs.length === 0) return;
    const ours = await from.read.tables.page(table, after, theirs.length);
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
      throw new UnusableDatabase(
        `the target has rows in ${table.name} that the source does not have: copy into an empty database; nothing was written`,
      );
    }
    after = theirs.at(-1);
    done += theirs.length;
    onRows(done, total);
  }
}

async function copyTable(
  from: Datastore,
  to: Datastore,
  table: Table,
  onRows: (done: number, total: number) => void,
): Promise<void> {
  const total = await from.read.tables.count(table);
  let done = await to.read.tables.count(table);
  let after = await to.read.tables.last(table);
  for (;;) {
    const rows = await from.read.tables.page(table, after, BATCH);
    if (rows.length === 0) break;
    await to.transact((tx) => tx.tables.insert(table, rows));
    after = rows.at(-1);
    done += rows.length;
    onRows(done, total);
  }
  // The ledger, events and stored responses name deleted records, whose ids must not be given out again.
  const last = await from.read.tables.lastNumber(table);
  if (last > 0) await to.transact((tx) => tx.tables.continueNumbering(table, last));
}

async function compareTable(
  from: Datastore,
  to: Datastore,
  table: Table,
  onEqual: (done: number) => void,
): Promise<string | undefined> {
  let done = 0;
  for (let after: readonly unknown[] | undefined; ; ) {
    const ours = await from.read.tables.page(table, after, BATCH);
    const theirs = await to.read.tables.page(table, after, BATCH);
    for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
      const [left, right] = [JSON.stringify(ours[at]), JSON.stringify(theirs[at])];
      if (left !== right)
        return `${table.name}: the source has ${left ?? 'no row'}, the copy has ${right ?? 'no row'}`;
      done += 1;
      onEqual(done);
    }
    if (ours.length < BATCH) return undefined;
    after = ours.at(-1);
  }
}
