import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { Connections } from '../../src/http/connections/connections.ts';
import { Drain } from '../../src/http/connections/drain.ts';
import { DOWNLOADS_MAX, downloadSender } from '../../src/http/response/send-download.ts';

const PART = 'x'.repeat(64 * 1024);
/** Far above what two sockets hold. */
const PARTS = 2_000;

async function start(chunks: () => AsyncIterable<string>, stallMs: number) {
  const failures: unknown[] = [];
  const send = downloadSender({
    drain: new Drain(new Connections()),
    recordRequest: () => undefined,
    onFailure: (err) => failures.push(err),
    stallMs,
  });
  const server = Fastify();
  server.get('/', (request, reply) => {
    request.state = { headers: [], rateHeaders: [], closesConnection: false } as never;
    const file = { type: 'text/csv', fileName: 'file.csv', chunks: chunks() };
    send(request, reply, file).catch((err: { code: string }) => reply.code(503).send(err.code));
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  return { url, failures };
}

it('reads no further than the client, and ends the connection of one that stalls', async () => {
  let read = 0;
  let isEnded = false;
  async function* file() {
    try {
      for (; read < PARTS; read++) yield PART;
    } finally {
      isEnded = true;
    }
  }
  const { url, failures } = await start(file, 200);
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  socket.on('error', () => undefined);
  await expect.poll(() => failures.length, { timeout: 30_000 }).toBe(1);
  expect(read).toBeLessThan(PARTS / 2);
  await expect.poll(() => isEnded).toBe(true);
  socket.resume();
  await new Promise((resolve) => socket.on('close', resolve));
});

it('breaks the response off when a part cannot be read, and refuses it when the first cannot', async () => {
  async function* broken() {
    yield PART;
    throw new Error('the database is away');
  }
  const { url, failures } = await start(broken, 10_000);
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  expect(failures).toHaveLength(1);
  // biome-ignore lint/correctness/useYield: the first part is the one that fails.
  async function* refused(): AsyncGenerator<string> {
    throw Object.assign(new Error('away'), { code: 'unavailable' });
  }
  const second = await start(refused, 10_000);
  const response = await fetch(second.url);
  expect([response.status, await response.text()]).toEqual([503, 'unavailable']);
});

it('sends so many at once and no more', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* waiting() {
    yield PART;
    await held;
  }
  const { url } = await start(waiting, 10_000);
  const open = await Promise.all(Array.from({ length: DOWNLOADS_MAX }, () => fetch(url)));
  expect(open.map(({ status }) => status)).toEqual(new Array(DOWNLOADS_MAX).fill(200));
  const refused = await fetch(url);
  expect([refused.status, await refused.text()]).toEqual([503, 'overloaded']);
  release();
  for (const response of open) expect(await response.text()).toBe(PART);
  expect((await fetch(url)).status).toBe(200);
});
