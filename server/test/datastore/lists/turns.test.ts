import { setImmediate } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, it } from 'vitest';
import { byId, list } from '../../../src/datastore/list.ts';
import type { Row, Runner, Statement, Value } from '../../../src/datastore/runner.ts';

const LISTS = 10;

it('lists that look for their rows take turns: one of them takes a step in each round of the event loop', async () => {
  const { 0: first, ...later } = await stepsOfLists('sqlite');
  expect(first).toBe(LISTS);
  expect(Object.keys(later).length).toBeGreaterThan(LISTS);
  expect(new Set(Object.values(later))).toEqual(new Set([1]));
});

it('lists on PostgreSQL take their steps together, so that those of a tick are one round trip', async () => {
  const steps = Object.values(await stepsOfLists('postgres'));
  expect(new Set(steps.map((count) => count % LISTS))).toEqual(new Set([0]));
});

/** How many steps all lists take in each round of the event loop. */
async function stepsOfLists(engine: Runner['engine']): Promise<Record<number, number>> {
  let round = 0;
  const stepsIn = new Map<number, number>();
  // No row matches, and the path goes on. SQLite answers at once.
  const rows = async (_: Statement, values: readonly Value[]): Promise<Row[]> => {
    stepsIn.set(round, (stepsIn.get(round) ?? 0) + 1);
    if (engine === 'postgres') await setImmediate();
    return [[1, 1, 0, values.at(-2)!]];
  };
  const runner = { engine, rows } as unknown as Runner;
  const given = {
    table: 'pets',
    columns: ['id'],
    where: sql`workspace_id = 1`,
    order: byId,
    filters: [sql`name = 'x'`],
    itemOf: (row: Row) => row,
  };
  let isRunning = true;
  const reading = Promise.all(
    Array.from({ length: LISTS }, () => list(runner, given, { sort: 'id', limit: 20 })),
  ).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await setImmediate();
    round += 1;
  }
  const pages = await reading;
  expect(pages.every(({ hasMore }) => hasMore)).toBe(true);
  return Object.fromEntries(stepsIn);
}
