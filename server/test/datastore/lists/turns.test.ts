import { setImmediate } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, it } from 'vitest';
import { byId, list } from '../../../src/datastore/list.ts';
import type { Row, Runner, Statement, Value } from '../../../src/datastore/runner.ts';

const LISTS = 10;

it('lists that look for their rows take turns: one of them takes a step in each round of the event loop', async () => {
  let round = 0;
  const stepsIn = new Map<number, number>();
  // Answers at once, as SQLite does: no row matches, and the path goes on.
  const rows = async (_: Statement, values: readonly Value[]): Promise<Row[]> => {
    stepsIn.set(round, (stepsIn.get(round) ?? 0) + 1);
    return [[1, 1, 0, values.at(-1)!]];
  };
  const runner = { engine: 'sqlite', rows } as unknown as Runner;
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
  const { 0: first, ...later } = Object.fromEntries(stepsIn);
  expect(first).toBe(LISTS);
  expect(Object.keys(later).length).toBeGreaterThan(LISTS);
  expect(new Set(Object.values(later))).toEqual(new Set([1]));
});
