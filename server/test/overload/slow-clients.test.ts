import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Connections } from '../../src/http/connections/connections.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { readAnswers } from '../support/raw-http.ts';

const MIB = 1024 * 1024;
const sockets: Socket[] = [];
let app: TestApp;
let server: Server;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  server = app.server.server as Server;
  const { body } = await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const pets = Array.from({ length: 100 }, () => ({ name: 'R'.repeat(200), categoryId: body.id }));
  await app.call('POST', '/v1/pets/batch', { body: { pets } });
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(app.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

function headOf(method: string, path: string, ...more: string[]): string {
  const lines = ['Host: a', `Authorization: Bearer ${app.key}`, ...more];
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

describe('a body that never ends', () => {
  it('is cut off soon after the most that is taken, without a length to go by', async () => {
    const socket = await open();
    const answered = readAnswers(socket);
    const type = 'Content-Type: application/json';
    socket.write(headOf('POST', '/v1/categories', type, 'Transfer-Encoding: chunked'));
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const sending = setInterval(() => {
      if (socket.writable && !socket.writableNeedDrain) socket.write(chunk);
    }, 1);
    const { answers, isClosed } = await answered;
    clearInterval(sending);
    expectError(answers[0]!, 'payload_too_large');
    expect(isClosed).toBe(true);
    // What was sent includes what the two kernels hold; what the service read is less.
    expect(socket.bytesWritten).toBeLessThan(16 * MIB);
  });

  it('is refused before it is sent when it says how long it is', async () => {
    const socket = await open();
    const answered = readAnswers(socket);
    const type = 'Content-Type: application/json';
    socket.write(headOf('POST', '/v1/categories', type, 'Content-Length: 1000000000000'));
    expectError((await answered).answers[0]!, 'payload_too_large');
  });
});

describe('clients that do not read their answers', () => {
  it('are not read from any further, and cost little', async () => {
    // By turns from two hosts, so that no answer is one that was given before.
    const here = headOf('GET', '/v1/pets?limit=100');
    const there = here.replace(/Host: .*/, 'Host: elsewhere');
    expect(there).not.toBe(here);
    const before = process.memoryUsage().rss;
    const connected: Socket[] = [];
    server.on('connection', (socket: Socket) => connected.push(socket));
    for (let index = 0; index < 20; index += 1) {
      const socket = await open();
      socket.pause();
      socket.write((here + there).repeat(1_000));
    }
    await pause(1_500);
    const answered = await app.call('GET', '/v1/pets?limit=1');
    expect(answered.status).toBe(200);
    const unsent = connected.map((socket) => socket.writableLength);
    expect(connected.length).toBeGreaterThanOrEqual(20);
    expect(Math.max(...unsent)).toBeLessThan(4 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  });
});

describe('a connection', () => {
  const { lookEveryMs, stuckMs } = Connections;

  beforeAll(async () => {
    Object.assign(Connections, { lookEveryMs: 50, stuckMs: 300 });
    await app.restart();
    server = app.server.server as Server;
    server.keepAliveTimeout = 300;
  });

  afterAll(async () => {
    Object.assign(Connections, { lookEveryMs, stuckMs });
    await app.restart();
    server = app.server.server as Server;
  });

  /** How long it took until the service closed a connection on which this was sent. */
  async function closedAfter(text: string, isRead: boolean): Promise<number> {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = await open();
    const [theirs] = await accepted;
    if (isRead) socket.resume();
    else socket.pause();
    const startedAt = performance.now();
    socket.write(text);
    await once(theirs, 'close');
    return performance.now() - startedAt;
  }

  it('is looked at every 5 s, and may be stuck for a minute', () => {
    expect([lookEveryMs, stuckMs]).toEqual([5_000, 60_000]);
  });

  it('is closed when its client has taken nothing of its answers for a while', async () => {
    const waited = await closedAfter(headOf('GET', '/v1/pets?limit=100').repeat(2_000), false);
    expect(waited).toBeGreaterThan(300);
    expect((await app.call('GET', '/v1/pets?limit=1')).status).toBe(200);
  });

  it('is closed when nobody has asked anything for as long as it is kept', async () => {
    const waited = await closedAfter(headOf('GET', '/v1/pets?limit=1'), true);
    expect(waited).toBeGreaterThan(295);
  });

  it('is kept for clients that take their time between requests', async () => {
    const socket = await open();
    for (let index = 0; index < 4; index += 1) {
      const answered = readAnswers(socket, { quietMs: 200 });
      socket.write(headOf('GET', '/v1/pets?limit=1'));
      const { answers, isClosed } = await answered;
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(isClosed).toBe(false);
      socket.removeAllListeners('data');
    }
  });
});

describe('a thousand connections that ask for nothing', () => {
  it('keep nobody else waiting', async () => {
    for (let index = 0; index < 1_000; index += 1) await open();
    const startedAt = performance.now();
    for (let index = 0; index < 20; index += 1) {
      expect((await app.call('GET', '/v1/pets?limit=1')).status).toBe(200);
    }
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
