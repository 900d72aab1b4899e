import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { PostgresPool } from '../../../src/datastore/postgres/pool.ts';
import { PrimaryServer } from '../../../src/datastore/postgres/primary.ts';
import { PostgresReads } from '../../../src/datastore/postgres/reads.ts';
import { statement } from '../../../src/datastore/runner.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { createDatabase, onDatabase } from '../../support/servers.ts';

const placeOf = (url: string) => ({ primary: new PrimaryServer(url), pooling: 'session' as const });

const add = statement<readonly [number]>('SELECT CAST($1 AS BIGINT) + 1');
const divide = statement<readonly [number]>('SELECT 1 / CAST($1 AS BIGINT)');
const huge = statement<readonly [number]>('SELECT CAST(9007199254740993 AS BIGINT)');
const sleep = statement<readonly [string]>('SELECT pg_sleep(CAST($1 AS BIGINT))');
const times = { connections: 3, workMs: 4_800, retryUntilMs: 4_200 };

describe('reads of PostgreSQL', () => {
  let url: string;
  let pool: PostgresPool;
  let reads: PostgresReads;
  let trips = 0;
  beforeAll(async () => {
    url = await createDatabase();
    pool = new PostgresPool({ ...placeOf(url), connections: 4, timeoutFactor: 3 });
    const { use } = pool;
    pool.use = (deadline, work) => {
      trips += 1;
      return use.call(pool, deadline, work) as never;
    };
    reads = new PostgresReads(pool, new Coalescer(), times);
  });
  beforeEach(() => {
    trips = 0;
  });
  afterAll(() => pool?.close());

  const askMany = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => reads.row(add, [n])));

  it('each get their own row, many in one round trip', async () => {
    const rows = await askMany(100);
    expect(rows).toEqual(Array.from({ length: 100 }, (_, n) => [n + 1]));
    expect(trips).toBe(7);
  });

  it('spread over more connections where one of them could be slow', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => reads.rows(add, [n])));
    expect(trips).toBe(25);
  });

  it('send equal lists of one tick once, and give each caller rows of its own', async () => {
    const [first, ...others] = await Promise.all([
      reads.rows(add, [1]),
      reads.rows(add, [1]),
      reads.rows(add, [2]),
      reads.rows(divide, [1]),
    ]);
    expect(trips).toBe(1);
    first.length = 0;
    expect(others).toEqual([[[2]], [[3]], [[1]]]);
    const failing = [reads.rows(divide, [0]), reads.rows(divide, [0])];
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('of a later tick are sent again', async () => {
    await reads.rows(add, [1]);
    await reads.rows(add, [1]);
    expect(trips).toBe(2);
  });

  it.each([
    ['fails', () => reads.row(divide, [0]), /division by zero/],
    ['returns a number that is not a safe integer', () => reads.row(huge, []), /safe integer/],
  ])('let one that %s harm no other', async (_, read, reason) => {
    const outcome = expect(read()).rejects.toThrow(reason);
    expect(await askMany(20)).toHaveLength(20);
    await outcome;
  });

  it('let one that takes too long harm no other', async () => {
    const outcome = expect(reads.row(sleep, [60])).rejects.toThrow(StorageUnavailable);
    expect(await askMany(20)).toHaveLength(20);
    await outcome;
  });

  it('are sent again when a connection turns out to be dead', async () => {
    await askMany(32);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'petstore' AND datname = current_database()`;
    await onDatabase(url, (client) => client.query(end));
    expect(await askMany(32)).toHaveLength(32);
  });
});
