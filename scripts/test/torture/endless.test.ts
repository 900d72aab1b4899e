// A service that is broken for good ends a run. It does not make the run wait for ever.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { Client } from '../../../torture/client.ts';
import { orderUnit } from '../../../torture/race.ts';
import { newStore } from '../../../torture/store.ts';
import { cut } from '../../../torture/streams/cut-streams.ts';

const cutting = { proxy: { cuts: 3 }, cuts: 10, restarts: 0, nodes: [], ports: [] };

async function run(readers: { faults: string[] }[], stalledMs?: number): Promise<string[]> {
  const store = await newStore();
  onTestFinished(store.remove);
  const faults: string[] = [];
  const bound = stalledMs === undefined ? {} : { stalledMs };
  await cut({ ...cutting, store, readers, faults, ...bound });
  return faults;
}

it('streams end with the first reader that has a fault', async () => {
  expect(await run([{ faults: [] }, { faults: ['a stream was answered with 500'] }])).toEqual([]);
});

it('streams that cannot be cut are a fault', async () => {
  expect(await run([{ faults: [] }], 10)).toEqual([
    'no stream could be cut for 10 ms, after 3 cuts',
  ]);
});

it('a race ends when an order is answered 503 for too long', async () => {
  const server = createServer((_, response) => {
    response.writeHead(503, { 'content-length': 2 }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const buyer = new Client((server.address() as { port: number }).port, 'key');
  onTestFinished(() => {
    buyer.close();
    server.close();
  });
  await expect(orderUnit(buyer, 1, 0)).rejects.toThrow('an order was answered 503');
});
