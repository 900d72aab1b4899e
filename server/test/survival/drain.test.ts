import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Client } from '../../../torture/client.ts';
import { type DrainReport, drain } from '../../../torture/drain.ts';
import { Service } from '../../../torture/service.ts';
import { readAll } from '../../../torture/state.ts';
import { newStore } from '../../../torture/store.ts';

function expectNothingLost(report: DrainReport, restarts: number): void {
  expect(report.failures).toEqual([]);
  expect(report.unexplained).toEqual([]);
  expect(report.exitCodes).toEqual(Array(restarts).fill(0));
  expect(Math.max(...report.stopMs)).toBeLessThan(10_000);
  expect(report.answered).toBeGreaterThan(restarts * 16);
}

it('loses no request in 16 restarts behind a balancer, under clients that never pause', {
  timeout: 180_000,
}, async () => {
  const options = { nodes: 4, atOnce: 3, restarts: 16, clients: 16, pauseMs: 0 };
  expectNothingLost(await drain(options), 16);
});

it('loses no request of 200 clients, who keep a balancer too busy to turn elsewhere in time', {
  timeout: 180_000,
}, async () => {
  const options = { nodes: 3, atOnce: 2, restarts: 6, clients: 200, pauseMs: 0 };
  expectNothingLost(await drain(options), 6);
});

it('loses no request of clients that talk to one node and pause now and then', {
  timeout: 120_000,
}, async () => {
  const options = { nodes: 1, atOnce: 1, restarts: 4, clients: 16, pauseMs: 100 };
  expectNothingLost(await drain(options), 4);
});

it('answers whoever comes while a balancer is slow to turn elsewhere', {
  timeout: 60_000,
}, async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const service = await Service.start(store);
  service.signal('SIGTERM');
  const until = performance.now() + 2_000;
  const replies: string[] = [];
  const comeAgainAndAgain = async () => {
    while (performance.now() < until) {
      const client = new Client(service.port, store.apiKey);
      const reply = await client.send({ method: 'GET', path: '/v1/categories' });
      replies.push(reply.kind === 'answer' ? String(reply.status) : JSON.stringify(reply));
      client.close();
    }
  };
  await Promise.all(Array.from({ length: 8 }, comeAgainAndAgain));
  expect(await service.exited()).toEqual({ code: 0, signal: null });
  expect(replies.length).toBeGreaterThan(100);
  expect(new Set(replies)).toEqual(new Set(['200']));
});

it('answers in turn what was sent ahead of the answers, and does nothing unanswered', {
  timeout: 60_000,
}, async () => {
  const store = await newStore();
  onTestFinished(store.remove);
  const service = await Service.start(store);
  setTimeout(() => service.signal('SIGTERM'), 200);
  const clients = [1, 2, 3, 4].map((index) =>
    pipeline(service.port, store.apiKey, `shop ${index}`),
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

/** Sends batches of writes on one connection until it is closed; gives the names that came back. */
async function pipeline(port: number, apiKey: string, prefix: string): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let count = 0;
  const sending = setInterval(() => {
    const batch = Array.from({ length: 5 }, (_, index) =>
      post(`${prefix} ${count + index}`, apiKey),
    );
    count += batch.length;
    socket.write(batch.join(''));
  }, 5);
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
