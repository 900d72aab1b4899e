import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readAnswers } from '../support/raw-http.ts';
import { firstKeyOf, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A signal that makes the service fail where nothing catches it. */
const FAIL_ON_SIGNAL = `process.on('SIGUSR2', () => void Promise.reject(new Error('planned')))`;
/** The service announces its stop for a second. */
const NOTICE_MS = 900;
const ATTEMPTS_MAX = 5;
const hook = `data:text/javascript,${encodeURIComponent(FAIL_ON_SIGNAL)}`;

let folder: string;
let service: Service;
let key: string;
beforeEach(start);

async function start(): Promise<void> {
  const temporary = temporaryFolder();
  folder = temporary.path;
  onTestFinished(temporary.remove);
  service = await startService(folder, { NODE_OPTIONS: `--import=${hook}` });
  key = firstKeyOf(service);
}

async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(service.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

const GET = () => `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`;
const POST = () =>
  `POST /v1/categories HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name"';

/** The head of a request has been read once the service has answered others that came after it. */
async function isHeadRead(): Promise<void> {
  for (let i = 0; i < 3; i++) await fetch(`${service.address}/healthz`);
}

async function stopWith(signal: NodeJS.Signals): Promise<number | null> {
  service.process.kill(signal);
  return service.exited;
}

/**
 * Stops the service after `begin` and sees it announce that. Returns what had begun, the answer to a request that came
 * during the notice, and the exit code. Where this machine sees the notice too late, another service is stopped.
 */
async function stopAnnounced<T>(begin: () => Promise<T>) {
  for (let attempt = 1; ; attempt += 1) {
    const begun = await begin();
    const signalledAt = performance.now();
    const exitCode = stopWith('SIGTERM');
    try {
      let status = 200;
      while (status === 200) status = (await fetch(`${service.address}/readyz`)).status;
      expect(status).toBe(503);
      const late = await fetch(`${service.address}/v1/pets`, { headers: { 'x-api-key': key } });
      return { begun, late, exitCode };
    } catch (err) {
      const isTooLate = err instanceof TypeError && performance.now() - signalledAt > NOTICE_MS;
      if (!isTooLate || attempt === ATTEMPTS_MAX) throw err;
      await start();
    }
  }
}

/** A write whose body is incomplete. */
async function beginWrite() {
  const socket = await open(POST());
  await isHeadRead();
  return { socket, reading: readAnswers(socket) };
}

/** What the database holds, once the service is gone. */
function storedNames(): string[] {
  const db = new Database(join(folder, 'petstore.db'), { readonly: true });
  const names = db.prepare('SELECT name FROM categories ORDER BY name').pluck().all() as string[];
  db.close();
  return names;
}

describe('on SIGTERM', () => {
  it('answers 503 on /readyz, finishes what was begun, closes idle connections and exits 0', async () => {
    const { begun, late, exitCode } = await stopAnnounced(async () => {
      const idle = await open(GET());
      expect((await readAnswers(idle)).answers[0]!.status).toBe(200);
      const silent = await open('');
      const closed = [idle, silent].map(
        (socket) => new Promise((done) => socket.once('close', done)),
      );
      return { closed, ...(await beginWrite()) };
    });
    expect(late.status).toBe(200);
    // From here on nothing more is accepted, but what was begun is still served.
    await Promise.all(begun.closed);
    begun.socket.write(':"Dogs"}');
    const { answers, isClosed } = await begun.reading;
    expect(answers[0]!.status).toBe(201);
    expect(isClosed).toBe(true);
    expect(await exitCode).toBe(0);
    expect(service.output()).toContain('"stopped"');
    expect(storedNames()).toEqual(['Dogs']);
  });

  it('refuses a request whose body never comes, and exits', async () => {
    const { reading } = await beginWrite();
    const exitCode = await stopWith('SIGTERM');
    const { answers, isClosed } = await reading;
    expect(answers).toHaveLength(1);
    expect(answers[0]!.body).toMatchObject({ code: 'unavailable', status: 503 });
    expect(answers[0]!.headers['retry-after']).toBe('1');
    expect(isClosed).toBe(true);
    expect(exitCode).toBe(0);
    expect(storedNames()).toEqual([]);
  });

  it('commits every write that was answered and no other, under clients that never pause', async () => {
    const outcomes: string[] = [];
    const answered: string[] = [];
    const headers = { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' };
    const client = async (client: number) => {
      for (let i = 0; ; i++) {
        const name = `${client} ${i}`;
        const options = { method: 'POST', headers, body: JSON.stringify({ name }) };
        try {
          const { status } = await fetch(`${service.address}/v1/categories`, options);
          outcomes.push(String(status));
          if (status === 201) answered.push(name);
        } catch (err) {
          outcomes.push(String((err as { cause?: { code?: string } }).cause?.code));
          return;
        }
      }
    };
    const clients = [1, 2, 3].map(client);
    expect(await stopWith('SIGTERM')).toBe(0);
    await Promise.all(clients);
    const cut = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
    const expected = new Set(['201', '429', ...cut]);
    expect(outcomes.filter((outcome) => !expected.has(outcome))).toEqual([]);
    expect(answered.length).toBeGreaterThan(0);
    expect(storedNames()).toEqual(answered.sort());
  });

  it('finishes what was begun when a failure comes during the drain, logs it and exits 70', async () => {
    const { begun, exitCode } = await stopAnnounced(beginWrite);
    service.process.kill('SIGUSR2');
    await expect.poll(() => service.output()).toContain('"unexpected failure"');
    begun.socket.write(':"Dogs"}');
    expect((await begun.reading).answers[0]!.status).toBe(201);
    expect(await exitCode).toBe(70);
    expect(service.output()).toContain('"stopped"');
    expect(storedNames()).toEqual(['Dogs']);
  });

  it('exits at once on another signal, two seconds after the first', async () => {
    await stopAnnounced(beginWrite);
    await expect.poll(() => service.output(), { timeout: 8_000 }).toContain('another signal');
    expect(await stopWith('SIGINT')).toBe(1);
    expect(service.output()).toContain('stopped at once');
  });

  it('finishes what was begun when the same signal comes twice', async () => {
    const { begun, exitCode } = await stopAnnounced(beginWrite);
    service.process.kill('SIGTERM');
    service.process.kill('SIGINT');
    begun.socket.write(':"Dogs"}');
    expect((await begun.reading).answers[0]!.status).toBe(201);
    expect(await exitCode).toBe(0);
    expect(storedNames()).toEqual(['Dogs']);
  });
});
