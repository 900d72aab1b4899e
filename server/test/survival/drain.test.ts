import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Client } from '../../../torture/client.ts';
import { type DrainOptions, type DrainReport, drain } from '../../../torture/drain.ts';
import { Service } from '../../../torture/service.ts';
import { readAll } from '../../../torture/state.ts';
import { newStore, type Store } from '../../../torture/store.ts';
import { repeats } from '../support/effort.ts';

/** A client that was held up for longer finds its connection closed. */
const STALL_MS = 250;
const RUNS_MAX = 5;

/** Drains again where requests were lost while this process was held up, and with it the clients and the balancer. */
async function drainUndisturbed(options: DrainOptions): Promise<DrainReport> {
  for (;;) {
    const report = await drain(options);
    const isLost = report.failures.length > 0 || report.unexplained.length > 0;
    if (!isLost || report.stallMs <= STALL_MS) return report;
  }
}

function expectNothingLost(report: DrainReport, restarts: number): void {
  expect(report.failures).toEqual([]);
  expect(report.unexplained).toEqual([]);
  expect(report.exitCodes).toEqual(Array(restarts).fill(0));
  expect(report.answered).toBeGreaterThan(restarts);
}

// `npm run torture -- --only drain` restarts more often and judges how long a stop takes.
it('loses no request in restarts behind a balancer, which clients that never pause keep from noticing in time', async () => {
  const restarts = repeats({ usual: 2, thorough: 4 });
  const options = { nodes: 3, atOnce: 2, restarts, clients: 50, pauseMs: 0 };
  expectNothingLost(await drainUndisturbed(options), restarts);
});

it('loses no request of clients that talk to one node and pause now and then', async () => {
  const restarts = repeats({ usual: 1, thorough: 2 });
  const options = { nodes: 1, atOnce: 1, restarts, clients: 16, pauseMs: 100 };
  expectNothingLost(await drainUndisturbed(options), restarts);
});

it('answers every request on new connections while it announces its stop', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  let replies: string[] = [];
  // A process that is held up for the whole notice is refused from the beginning.
  for (let run = 1; replies.length === 0 && run <= RUNS_MAX; run += 1) {
    replies = await askWhileStopping(store);
  }
  expect(new Set(replies)).toEqual(new Set(['[]']));
});

/** The answers to requests, each on a new connection, between the signal and the end of the service. */
async function askWhileStopping(store: Store): Promise<string[]> {
  const service = await Service.start(store);
  service.signal('SIGTERM');
  const replies: string[] = [];
  const ask = async () => {
    const client = new Client(service.port, store.apiKey);
    const reply = await client.send({ method: 'GET', path: '/v1/categories' });
    client.close();
    return reply;
  };
  const connectAgainAndAgain = async () => {
    let reply = await ask();
    for (; reply.kind === 'answer'; reply = await ask()) replies.push(reply.text);
    // The kernel resets connections that wait to be accepted when listening ends. Then every later one is refused.
    expect(await ask()).toEqual({ kind: 'refused' });
  };
  await Promise.all(Array.from({ length: 8 }, connectAgainAndAgain));
  expect(await service.exited()).toEqual({ code: 0, signal: null });
  return replies;
}

it('answers pipelined requests in order, and does nothing that it does not answer', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const service = await Service.start(store);
  setTimeout(() => service.signal('SIGTERM'), 200);
  const clients = [1, 2, 3, 4].map((index) =>
    pipeline(service.port, store.apiKey, {
      prefix: `shop ${index}`,
      readsNothingMs: index * 750,
    }),
  );
  const answers = await Promise.all(clients);
  expect(await service.exited()).toEqual({ code: 0, signal: null });
  const again = await Service.start(store);
  const client = new Client(again.port, store.apiKey);
  const categories = await readAll<{ name: string }>(client, '/v1/categories');
  client.close();
  await again.end('SIGINT');
  for (const [index, names] of answers.entries()) {
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual(names.map((_, count) => `shop ${index + 1} ${count}`));
  }
  expect(categories.map(({ name }) => name).sort()).toEqual(answers.flat().sort());
});

it('disconnects a client that sends on and on after the end of its connection', async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const service = await Service.start(store);
  const requests = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000);
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let sentAfterEnd = 0;
  const send = () => {
    if (socket.readableEnded) sentAfterEnd += requests.length;
    if (!socket.destroyed) socket.write(requests, () => setImmediate(send));
  };
  socket.resume().once('connect', send);
  service.signal('SIGTERM');
  await closed;
  expect(await service.exited()).toEqual({ code: 0, signal: null });
  // This is more than the service reads and the kernel keeps on both sides.
  expect(sentAfterEnd).toBeLessThan(16 * 1024 * 1024);
});

/**
 * Sends batches of writes on one connection until it is closed, and returns the names in the answers. It reads
 * nothing at first, as a client whose machine is busy.
 */
async function pipeline(
  port: number,
  apiKey: string,
  { prefix, readsNothingMs }: { prefix: string; readsNothingMs: number },
): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  socket.pause();
  setTimeout(() => socket.resume(), readsNothingMs);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let count = 0;
  const sending = setInterval(() => {
    const batch = Array.from({ length: 5 }, (_, index) =>
      post(`${prefix} ${count + index}`, apiKey),
    );
    count += batch.length;
    socket.write(batch.join(''));
  }, 20);
  await closed;
  clearInterval(sending);
  return [...received.matchAll(/"name":"(shop \d+ \d+)"/g)].map((match) => match[1]!);
}

function post(name: string, apiKey: string): string {
  const body = JSON.stringify({ name });
  return (
    `POST /v1/categories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
