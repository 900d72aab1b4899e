// No list examines more than EXAMINED_MAX rows beside those of its page, whatever its filters and its sort.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Readers, readersOver } from '../../../src/datastore/datastore.ts';
import { dialectOf } from '../../../src/datastore/dialect.ts';
import { prepareForServing } from '../../../src/datastore/sqlite/file.ts';
import { MINUTES_A_DAY } from '../../../src/domain/durations.ts';
import type { Position } from '../../../src/lib/cursor.ts';
import { isThorough } from '../../support/effort.ts';
import { openPostgres, openSqlite } from '../engines.ts';
import type { Engine } from '../fixture.ts';
import { type Filter, type ListCase, listCases, pairs, singles, triples } from './cases.ts';
import { type Counting, countOnPostgres, countOnSqlite } from './counting.ts';
import { EXAMINED_MAX, type Filled, fillStore, ROWS } from './filled-store.ts';

const LIMIT = 20;
const MIDDLE = ROWS / 3;
/** What a list examines at most. One row more than the page says whether there are more. */
const boundOf = ({ rowsPerItem = 1 }: ListCase) => EXAMINED_MAX + (LIMIT + 1) * rowsPerItem;
/** Each of these serves a list. */
const INDEXES = [
  'pets_present',
  'pets_by_name',
  'pets_by_name_key',
  'pets_by_status',
  'pets_by_category',
  'pets_by_reference',
  'orders_by_pet',
  'orders_by_state',
  'orders_by_ship_date',
  'orders_by_reference',
  'movements_by_pet',
  'movements_by_time',
  'api_keys_by_workspace',
  'webhook_attempts_by_webhook',
  'audit_log_by_workspace',
  'audit_log_by_time',
  'workspaces_by_state',
];

describe.each([
  { name: 'SQLite', open: openSqlite, count: countOnSqlite },
  { name: 'PostgreSQL', open: () => openPostgres(), count: countOnPostgres },
])('$name', ({ open, count }) => {
  let engine: Engine;
  let counting: Counting;
  let filled: Filled;
  let readers: Readers;
  beforeAll(async () => {
    engine = await open();
    filled = await fillStore(engine);
    counting = await count(engine.location);
    readers = readersOver(counting.runner);
  });
  afterAll(async () => {
    await counting?.close();
    await engine?.close();
  });

  /**
   * The lists that examine too many rows, of those with these filters: whole in every order and also from the middle, or
   * each in one of the orders.
   */
  async function excessOf(
    list: ListCase,
    filters: readonly Filter[],
    isWhole = true,
  ): Promise<string[]> {
    const excess: string[] = [];
    for (const [at, filter] of filters.entries()) {
      for (const sort of isWhole ? list.sorts : [list.sorts[at % list.sorts.length]!]) {
        const middle = isWhole ? [list.positionOf(MIDDLE, sort, filter)] : [];
        for (const after of [undefined, ...middle]) {
          await list.read(readers, filter, { sort, limit: LIMIT, after });
          const examined = counting.taken();
          if (examined <= boundOf(list)) continue;
          const place = after ? 'from the middle' : 'from its beginning';
          const shown = JSON.stringify(filter).slice(0, 100);
          excess.push(`${list.name} ${shown} by ${sort} ${place}: ${examined}`);
        }
      }
    }
    return excess;
  }

  it('examines a bounded number of rows with every filter, pair and triple of filters, and sort', async () => {
    for (const list of listCases(filled)) {
      expect(await excessOf(list, singles(list))).toEqual([]);
      expect(await excessOf(list, pairs(list), isThorough)).toEqual([]);
      expect(await excessOf(list, triples(list), isThorough)).toEqual([]);
    }
  });

  it('reads a bounded number of rows of the usage by day and by minute, in steps', async () => {
    const { workspaceId } = filled;
    await engine.execute(`INSERT INTO usage_days
      (workspace_id, day, key_id, operation_id, admitted, refused, failed, last_at)
      WITH RECURSIVE series (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${2 * EXAMINED_MAX})
      SELECT ${workspaceId}, n / 50, 'key ' || n, 'usual', 1, 0, 0, 0 FROM series`);
    const { stepRowsMax } = dialectOf(counting.runner);
    // One row more than the step says whether there are more, and SQLite looks again at the row that it continues after.
    const extra = 2;
    const days = await readers.usage.days(workspaceId, 0);
    expect(days).toHaveLength(EXAMINED_MAX);
    expect([days[0]!.day, days.at(-1)!.day]).toEqual([10, 20]);
    expect(counting.most()).toBeLessThanOrEqual(stepRowsMax + extra);
    expect(counting.taken()).toBeLessThanOrEqual(
      EXAMINED_MAX + extra * Math.ceil(EXAMINED_MAX / stepRowsMax),
    );

    await engine.execute(`INSERT INTO usage_minutes (workspace_id, minute, requests, refused)
      WITH RECURSIVE series (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${2 * MINUTES_A_DAY})
      SELECT ${workspaceId}, n, 3, 1 FROM series`);
    counting.taken();
    const minutes = await readers.usage.minutes(workspaceId, 5);
    expect(minutes.map(({ minute }) => minute)).toEqual(
      Array.from({ length: MINUTES_A_DAY }, (_, n) => n + 5),
    );
    expect(counting.most()).toBeLessThanOrEqual(stepRowsMax + extra);
    counting.taken();
  });

  it('counts the requests of a day by its minutes, however many keys made them', async () => {
    const { workspaceId } = filled;
    await engine.execute(`INSERT INTO usage_days
      (workspace_id, day, key_id, operation_id, admitted, refused, failed, last_at)
      WITH RECURSIVE series (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${2 * MINUTES_A_DAY})
      SELECT ${workspaceId}, 30, 'key ' || n, 'usual', 1, 0, 0, 0 FROM series`);
    await engine.execute(`INSERT INTO usage_minutes (workspace_id, minute, requests, refused)
      WITH RECURSIVE series (n) AS
        (SELECT 29 * ${MINUTES_A_DAY} UNION ALL SELECT n + 1 FROM series WHERE n < 32 * ${MINUTES_A_DAY})
      SELECT ${workspaceId}, n, 3, 1 FROM series`);
    expect(await readers.usage.admittedOn(workspaceId, 30)).toBe(2 * MINUTES_A_DAY);
    expect(counting.taken()).toBeLessThanOrEqual(MINUTES_A_DAY);
  });

  it('reads a page of the bans in force among a bounded number of bans', async () => {
    await engine.execute(`INSERT INTO bans
      (key_id, workspace_id, since, until, strikes, quiet_since)
      WITH RECURSIVE series (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${ROWS})
      SELECT 'key ' || (10000 + n), 0, 0, CASE WHEN n % ${ROWS / 2} = 0 THEN 2 ELSE 0 END, 1, 0 FROM series`);
    const found: string[] = [];
    for (let after: Position | undefined, hasMore = true; hasMore; ) {
      const page = await readers.limits.pageOfBansInForce(1, { sort: '-id', limit: LIMIT, after });
      found.push(...page.items.map(({ keyId }) => keyId));
      expect(counting.taken()).toBeLessThanOrEqual(EXAMINED_MAX + LIMIT + 1);
      after = page.end;
      hasMore = page.hasMore;
    }
    expect(found).toEqual([`key ${10_000 + ROWS}`, `key ${10_000 + ROWS / 2}`]);
  });

  it.each(INDEXES)('examines more without the index %s', async (index) => {
    const made = await counting.definitionOf(index);
    await engine.execute(`DROP INDEX ${index}`);
    const lists = listCases(filled).filter(({ table }) => index.startsWith(table));
    const excess: string[] = [];
    for (const filtersOf of [singles, pairs]) {
      for (const list of lists) {
        for (const filter of filtersOf(list)) {
          if (excess.length === 0) excess.push(...(await excessOf(list, [filter])));
        }
      }
    }
    await engine.execute(made);
    expect(excess).not.toEqual([]);
  });
});

it('statistics that another program made on SQLite lead no list through the rows of others', async () => {
  const engine = await openSqlite();
  const filled = await fillStore(engine);
  await engine.execute('ANALYZE');
  prepareForServing(engine.location);
  const counting = await countOnSqlite(engine.location);
  const readers = readersOver(counting.runner);
  const pets = listCases(filled).find(({ name }) => name === 'pets')!;
  for (const filter of singles(pets)) {
    await pets.read(readers, filter, { sort: 'id', limit: LIMIT, after: undefined });
    expect(counting.taken(), JSON.stringify(filter)).toBeLessThanOrEqual(boundOf(pets));
  }
  await counting.close();
  await engine.close();
});
