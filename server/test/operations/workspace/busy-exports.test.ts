// Exports of a workspace that is busy, on a node that is, and to a client that does not read.

import { connect } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { EXPORT_MS_MAX, EXPORTS_MAX } from '../../../src/services/archive/workspace-exports.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { exported, recordsIn } from '../../support/archive.ts';
import { WAIT } from '../webhooks/receiver-app.ts';
import { type Any, addLargeRows, shop } from './filled-shop.ts';

const PETS = 40;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

/** The records of one moment: what each pet has follows from its orders, and is where its ledger ends. */
function expectOneMoment({ pets = [], orders = [], ledger = [] }: Record<string, Any[]>) {
  for (const { id, quantity, reserved } of pets) {
    const open = orders.filter(({ petId, state }) => petId === id && state === 'open');
    expect(open.reduce((sum, order) => sum + order.quantity, 0)).toBe(reserved);
    const rows = ledger.filter(({ petId }) => petId === id);
    let [last] = rows;
    for (const row of rows.slice(1)) {
      expect([row.quantityBefore, row.reservedBefore]).toEqual([
        last.quantityAfter,
        last.reservedAfter,
      ]);
      last = row;
    }
    expect([last.quantityAfter, last.reservedAfter]).toEqual([quantity, reserved]);
  }
}

it('is of one moment, while orders are placed, changed and cancelled', async () => {
  const { key, send, pet } = await shop(app);
  const ids: number[] = [];
  for (let n = 0; n < PETS; n++) ids.push((await pet()).id);
  for (const id of ids) await send('PATCH', `/inventory/${id}`, { quantity: 100_000 });
  let isOver = false;
  let placed = 0;
  const place = async (lane: number) => {
    for (let n = lane; !isOver; n++) {
      const { id } = await send('POST', '/store/orders', { petId: ids[n % PETS], quantity: 2 });
      placed += 1;
      if (n % 3 === 0) await send('DELETE', `/store/orders/${id}`);
      if (n % 3 === 1) await send('PATCH', `/store/orders/${id}`, { complete: true });
    }
  };
  const lanes = Array.from({ length: 8 }, (_, lane) => place(lane));
  const counts: number[] = [];
  for (let n = 0; n < 4; n++) {
    const { records } = recordsIn(await exported(app, '/workspace/export', key));
    expectOneMoment(records);
    counts.push(records.orders!.length);
  }
  isOver = true;
  await Promise.all(lanes);
  expect(counts.at(-1)).toBeGreaterThan(counts[0]!);
  expect(placed).toBeGreaterThanOrEqual(counts.at(-1)!);
});

/** So many bytes that no socket holds them. */
async function largeShop() {
  const own = await shop(app);
  await addLargeRows(app, own.id, 200);
  return own;
}

/** Asks for an export and reads nothing. */
function stalled(key: string) {
  const { hostname, port } = new URL(app.address);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  socket.write(
    `GET /v1/workspace/export HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${key}\r\n\r\n`,
  );
  return socket;
}

const statusOf = async (key: string) => {
  const response = await fetch(`${app.address}/v1/workspace/export`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const text = response.status === 200 ? await response.arrayBuffer() : await response.text();
  return { status: response.status, text: String(text), headers: response.headers };
};

it('two at once and no more: the third is 429, until one of them has ended', async () => {
  const { key } = await largeShop();
  const readers = Array.from({ length: EXPORTS_MAX }, () => stalled(key));
  await expect.poll(async () => (await statusOf(key)).status, WAIT).toBe(429);
  const { text, headers } = await statusOf(key);
  expect(JSON.parse(text)).toMatchObject({ code: 'too_many_exports', details: { max: 2 } });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  readers[0]!.destroy();
  await expect.poll(async () => (await statusOf(key)).status, WAIT).toBe(200);
  readers[1]!.destroy();
});

it('ends one that is read too slowly, and the client does not take it for a whole one', async () => {
  const { key } = await largeShop();
  const slow = stalled(key);
  await expect.poll(() => slow.readableLength, WAIT).toBeGreaterThan(0);
  app.clock.advance(EXPORT_MS_MAX + 1);
  const chunks: Buffer[] = [];
  slow.on('data', (chunk: Buffer) => chunks.push(chunk));
  slow.resume();
  await new Promise((resolve) => slow.on('close', resolve));
  const text = Buffer.concat(chunks).toString('latin1');
  expect(text.startsWith('HTTP/1.1 200')).toBe(true);
  // What ends a chunked response that is whole.
  expect(text.endsWith('0\r\n\r\n')).toBe(false);
});
