import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PostgresPool } from '../../../src/datastore/postgres/pool.ts';
import { PrimaryServer } from '../../../src/datastore/postgres/primary.ts';
import { createDatabase } from '../../support/servers.ts';

const placeOf = (url: string) => ({ primary: new PrimaryServer(url), pooling: 'session' as const });

const LONG_MS = 60_000;
/** Longer than a request waits for a connection, whose factor is 1. */
const HELD_MS = 1_200;

it('a pool waits for a connection as long as its factor allows', async () => {
  const pool = new PostgresPool({
    ...placeOf(await createDatabase()),
    connections: 1,
    timeoutFactor: 60,
  });
  const acquired = () => pool.acquire(performance.now() + LONG_MS);
  const first = await acquired();
  const second = acquired();
  await Promise.all([second, pause(HELD_MS).then(first.release)]);
  (await second).release();
  await pool.close();
});

it.each([
  ['by index', false, 'off'],
  ['as the server finds best, for a command', true, 'on'],
])('a pool reads %s', async (_, mayScan, setting) => {
  const pool = new PostgresPool({
    ...placeOf(await createDatabase()),
    connections: 1,
    timeoutFactor: 60,
    mayScan,
  });
  const show = { text: 'SHOW enable_seqscan', values: [] };
  const { rows } = await pool.use(performance.now() + LONG_MS, (connection) =>
    connection.send([show]),
  );
  await pool.close();
  expect(rows).toEqual([[setting]]);
});
