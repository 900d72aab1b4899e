// Exports of a workspace that is busy, on a node that is, and to a client that does not read.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXPORT_MS_MAX, EXPORTS_MAX } from '../../../src/services/archive/workspace-exports.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { WAIT } from '../webhooks/receiver-app.ts';
import { exported, recordsIn } from './archive-files.ts';
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

/** More bytes than two sockets hold. */
const LARGE = { count: 100, bytes: 700_000 };

/** An export whose client reads no more than its beginning. One whose client is gone may still take a place for a moment. */
async function stalled(key: string): Promise<Socket> {
  let socket: Socket | undefined;
  const begin = async () => {
    socket?.destroy();
    const { hostname, port } = new URL(app.address);
    socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(
      `GET /v1/workspace/export HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${key}\r\n\r\n`,
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return first.toString('latin1').slice(0, 'HTTP/1.1 200'.length);
  };
  await expect.poll(begin, WAIT).toBe('HTTP/1.1 200');
  return socket!;
}

async function ask(key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${app.address}/v1/workspace/export`, { headers });
  const isRefused = response.status !== 200;
  if (!isRefused) await response.body!.cancel();
  return { response, body: isRefused ? ((await response.json()) as Any) : undefined };
}

const statusOf = async (key: string) => (await ask(key)).response.status;

describe('an export that is larger than what a client takes at once', () => {
  let key: string;
  beforeAll(async () => {
    const large = await shop(app);
    key = large.key;
    await addLargeRows(app, large.id, LARGE);
  });

  it('runs two at once and no more: the third is 429, until one of them has ended', async () => {
    const readers: Socket[] = [];
    while (readers.length < EXPORTS_MAX) readers.push(await stalled(key));
    const { response, body } = await ask(key);
    expect(response.status).toBe(429);
    expect(body).toMatchObject({ code: 'too_many_exports', details: { max: EXPORTS_MAX } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    readers[0]!.destroy();
    await expect.poll(() => statusOf(key), WAIT).toBe(200);
    readers[1]!.destroy();
  });

  it('ends if it is read too slowly, and the client does not take it for a whole one', async () => {
    const slow = await stalled(key);
    app.clock.advance(EXPORT_MS_MAX + 1);
    let last = Buffer.alloc(0);
    slow.on('data', (chunk: Buffer) => {
      last = Buffer.concat([last, chunk]).subarray(-100);
    });
    slow.resume();
    await once(slow, 'close');
    // What ends a chunked response that is whole.
    expect(last.toString('latin1').endsWith('0\r\n\r\n')).toBe(false);
  });
});
