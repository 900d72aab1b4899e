import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';
import { exchange, readAnswers } from '../support/raw-http.ts';

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

async function open(to = app): Promise<Socket> {
  const { hostname, port } = new URL(to.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

function bearer({ key }: TestApp): string[] {
  return [`Authorization: Bearer ${key}`];
}

function headOf(method: string, path: string, ...headers: string[]): string {
  const isAuthorised = headers.some((header) => header.startsWith('Authorization'));
  const lines = ['Host: a', ...(isAuthorised ? [] : bearer(app)), ...headers];
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

describe('clients that do not read their responses', () => {
  it('have one request started at a time, and are not read from any further', async () => {
    const accepted: Socket[] = [];
    server.on('connection', (socket: Socket) => accepted.push(socket));
    const SENT = 2_000;
    const request = headOf('GET', '/v1/pets?limit=100');
    for (let index = 0; index < 20; index += 1) {
      const socket = await open();
      socket.pause();
      socket.write(request.repeat(SENT));
    }
    await vi.waitUntil(() => accepted.length === 20 && accepted.every(isStuck), {
      timeout: 60_000,
    });
    expect((await app.call('GET', '/v1/pets?limit=1')).status).toBe(200);
    for (const socket of accepted.slice(0, 20)) {
      expect(socket.writableLength).toBeLessThan(MIB);
      expect(socket.bytesRead).toBeLessThan(request.length * SENT);
    }
  });
});

describe('requests that are sent together on one connection', () => {
  it('run one after the other: each read shows the write before it', async () => {
    const type = 'Content-Type: application/json';
    const names = Array.from({ length: 10 }, (_, index) => `together ${index}`);
    const requests = names.map((name) => {
      const body = JSON.stringify({ name });
      const write = headOf('POST', '/v1/categories', type, `Content-Length: ${body.length}`);
      return `${write}${body}${headOf('GET', '/v1/categories?limit=100')}`;
    });
    const { answers } = await exchange(app.address, requests.join(''));
    expect(answers.length).toBe(20);
    for (const [index, name] of names.entries()) {
      expect(answers[2 * index]!.status).toBe(201);
      expect(answers[2 * index + 1]!.text).toContain(`"${name}"`);
    }
  });
});

/** Whether it holds a response that its client does not take. */
function isStuck(socket: Socket): boolean {
  return socket.writableLength > 0;
}

describe('a connection', () => {
  const timeouts = { inactiveMs: 1_500, checkEveryMs: 50 };
  let hurried: TestApp;

  beforeAll(async () => {
    hurried = await testApp({ engine: 'sqlite', parts: { timeouts } });
    const { body } = await hurried.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    const pet = { name: 'R'.repeat(200), categoryId: body.id };
    const pets = Array.from({ length: 100 }, () => pet);
    await hurried.call('POST', '/v1/pets/batch', { body: { pets } });
  });

  /** Resolves when the service closes a connection on which this was sent. */
  async function closing(text: string, isRead: boolean): Promise<void> {
    const accepted = once(hurried.server.server, 'connection') as Promise<[Socket]>;
    const socket = await open(hurried);
    const [theirs] = await accepted;
    if (isRead) socket.resume();
    else socket.pause();
    socket.write(text);
    await once(theirs, 'close');
  }

  it('may be inactive for 65 s', () => {
    expect(server.timeout).toBe(65_000);
  });

  it('is closed when its client takes nothing of its responses', async () => {
    await closing(headOf('GET', '/v1/pets?limit=100', ...bearer(hurried)).repeat(2_000), false);
    expect((await hurried.call('GET', '/v1/pets?limit=1')).status).toBe(200);
  });

  it('is closed when it is idle', async () => {
    await closing(headOf('GET', '/v1/pets?limit=1', ...bearer(hurried)), true);
  });

  it('stays open between the requests of a slow client', async () => {
    const socket = await open();
    for (let index = 0; index < 4; index += 1) {
      // Four of these pauses are longer than a connection may be inactive.
      const answered = readAnswers(socket, { quietMs: 500 });
      socket.write(headOf('GET', '/v1/pets?limit=1'));
      const { answers, isClosed } = await answered;
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(isClosed).toBe(false);
      socket.removeAllListeners('data');
    }
  });
});

describe('a thousand connections that ask for nothing', () => {
  it('keep no other client from being served', async () => {
    for (let index = 0; index < 1_000; index += 1) await open();
    for (let index = 0; index < 20; index += 1) {
      expect((await app.call('GET', '/v1/pets?limit=1')).status).toBe(200);
    }
  });
});
