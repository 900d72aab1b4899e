import { once } from 'node:events';
import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Workload } from '../../src/http/workload.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { type Exchange, readAnswers } from '../support/raw-http.ts';

const TAKEN = 20;
const SHED = 5;
const TRIES_MAX = 10;

let app: TestApp;
let holder: Database.Database;
let sent = 0;

beforeAll(async () => {
  app = await testApp({
    engine: 'sqlite',
    parts: { workload: new Workload({ runningMax: TAKEN }) },
  });
  holder = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`, { timeout: 0 });
  await app.call('POST', '/v1/categories', { body: { name: 'first' } });
});

afterEach(() => {
  if (holder.inTransaction) holder.exec('ROLLBACK');
});

/** Keeps the write lock, as a long write beside the service does: nothing can be written until it is over. */
function shutStorage(): () => void {
  holder.exec('BEGIN IMMEDIATE');
  return () => holder.exec('ROLLBACK');
}

/** Each on a connection of its own, for those of one connection are done one after the other. */
async function sendWrites(count: number): Promise<Promise<Exchange>[]> {
  const { hostname, port } = new URL(app.address);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets.map((socket) => {
    sent += 1;
    const body = JSON.stringify({ name: `category ${sent}` });
    socket.write(
      `POST /v1/categories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return readAnswers(socket, { quietMs: 10 }).finally(() => socket.destroy());
  });
}

async function categoryCount(): Promise<number> {
  const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`, { readonly: true });
  const count = db.prepare('SELECT count(*) FROM categories').pluck().get() as number;
  db.close();
  return count;
}

/** Sends more writes than the service has room for while storage is shut, and other requests meanwhile. */
async function overload() {
  const before = await categoryCount();
  const release = shutStorage();
  const exchanges = await sendWrites(TAKEN + SHED);
  let isOver = false;
  void Promise.all(exchanges).finally(() => {
    isOver = true;
  });
  // It is not valid, so it takes no place from the others.
  const isFull = async () =>
    (await app.call('POST', '/v1/categories', { body: { name: '' } })).status === 503;
  await vi.waitUntil(async () => isOver || (await isFull()), { timeout: 60_000 });
  const reads = [
    app.call('GET', '/v1/pets'),
    app.call('GET', '/v1/plans', { key: null }),
    app.call('GET', '/v1/categories'),
  ];
  const paths = ['/healthz', '/readyz', '/v1/admin/workspaces', '/v1/admin/bans'];
  const allowed = await Promise.all([...reads, ...paths.map((path) => app.call('GET', path))]);
  release();
  const answers = (await Promise.all(exchanges)).flatMap((exchange) => exchange.answers);
  return { answers, allowed, created: (await categoryCount()) - before };
}

describe('a service with more work than it can do', () => {
  it('sheds writes, answers reads, operators and probes, and completes all that it accepted', async () => {
    let outcome = await overload();
    // A write waits two seconds for storage. On a machine so slow that these are over before the end, try again.
    const isTooLate = () => outcome.answers.some(({ body }) => body.code === 'unavailable');
    for (let tries = 1; tries < TRIES_MAX && isTooLate(); tries++) outcome = await overload();
    const { answers, allowed, created } = outcome;
    expect(allowed.map(({ status }) => status)).toEqual(Array(7).fill(200));
    const kept = answers.filter(({ status }) => status === 201);
    const shed = answers.filter(({ status }) => status !== 201);
    expect([kept.length, shed.length]).toEqual([TAKEN, SHED]);
    for (const answer of shed) expectError(answer, 'overloaded');
    expect(created).toBe(TAKEN);
    expect((await app.call('GET', '/v1/pets')).status).toBe(200);
    const next = await app.call('POST', '/v1/categories', { body: { name: 'afterwards' } });
    expect(next.status).toBe(201);
  });

  it('gives up on storage that stays shut, with nothing done, and reads meanwhile', async () => {
    const before = await categoryCount();
    const release = shutStorage();
    const exchanges = await sendWrites(20);
    expect((await app.call('GET', '/v1/categories')).status).toBe(200);
    const answers = (await Promise.all(exchanges)).flatMap((exchange) => exchange.answers);
    expect(answers).toHaveLength(20);
    for (const answer of answers) expectError(answer, 'unavailable');
    release();
    expect(await categoryCount()).toBe(before);
    const next = await app.call('POST', '/v1/categories', { body: { name: 'open again' } });
    expect(next.status).toBe(201);
  });
});
