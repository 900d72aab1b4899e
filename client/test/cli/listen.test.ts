import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { forwardTo } from '../../src/cli/actions/forward.ts';
import { commandOf } from '../../src/cli/actions/listen.ts';
import { ConnectionError } from '../../src/errors.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore, startPetstore } from '../support/run-petstore.ts';

const WAIT = { timeout: 120_000, interval: 20 };

let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
});

const secretOf = async () =>
  (await runPetstore(['listen', '--print-secret'], { env })).stdout.trim();

/** A receiver that checks signatures and answers with the statuses given, then with 204. */
async function receiver(secret: string, statuses: number[] = [], port = 0) {
  const taken: { type: string; sequence: number }[] = [];
  const webhook = new Webhook(secret);
  const server: Server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const event = webhook.verify(body, req.headers as Record<string, string>);
    const status = statuses.shift() ?? 204;
    if (status === 204) taken.push(event as (typeof taken)[number]);
    res.writeHead(status).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { taken, server, port: (server.address() as AddressInfo).port };
}

/** Starts to listen from now on, and returns once nothing can be missed. */
async function listening(...args: string[]) {
  const running = startPetstore(['listen', ...args], { env });
  onTestFinished(() => running.interrupt());
  await vi.waitFor(() => expect(running.output.stderr).toContain('listening after'), WAIT);
  return running;
}

async function createCategories(prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await app.call('POST', '/v1/categories', { body: { name: `${prefix} ${n}` } });
  }
}

describe('petstore listen', () => {
  it('--print-secret prints the secret and nothing else, the same each time', async () => {
    const first = await runPetstore(['listen', '--print-secret'], { env });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    expect(await secretOf()).toBe(first.stdout.trim());
    expect(first.stdout).not.toContain(app.key);
  });

  it('forwards 100 events in order, with a signature that verifies', async () => {
    const { taken, port } = await receiver(await secretOf());
    const running = await listening('--forward-to', `127.0.0.1:${port}/hooks`, '--json');
    await createCategories('Hundred', 100);
    await vi.waitFor(() => expect(taken).toHaveLength(100), WAIT);
    const first = taken[0]!.sequence;
    expect(taken.map(({ sequence }) => sequence)).toEqual(taken.map((_, at) => first + at));
    await vi.waitFor(() => expect(running.output.stdout.split('\n')).toHaveLength(101), WAIT);
    running.interrupt();
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).sequence),
    ).toEqual(taken.map(({ sequence }) => sequence));
  });

  it('loses nothing while the receiver is down or fails, and keeps the order', async () => {
    const secret = await secretOf();
    const gone = await receiver(secret);
    gone.server.close();
    await once(gone.server, 'close');
    const running = await listening('--forward-to', `http://127.0.0.1:${gone.port}/`);
    await createCategories('Down', 5);
    await vi.waitFor(() => expect(running.output.stderr).toContain('not reachable'), WAIT);
    const { taken } = await receiver(secret, [503, 500, 204, 302], gone.port);
    await vi.waitFor(() => expect(taken).toHaveLength(5), WAIT);
    expect(taken.map(({ sequence }) => sequence)).toEqual(
      taken.map((_, at) => taken[0]!.sequence + at),
    );
    for (const status of [503, 500, 302])
      expect(running.output.stderr).toContain(`was not taken (${status})`);
  });

  it('skips an event that is rejected four times, and says so', async () => {
    const { taken, port } = await receiver(await secretOf(), [400, 400, 400, 400]);
    const running = await listening('--forward-to', `http://127.0.0.1:${port}/`);
    await createCategories('Rejected', 2);
    await vi.waitFor(() => expect(taken).toHaveLength(1), WAIT);
    expect(running.output.stderr).toMatch(/was answered with 400 4 times and is skipped/);
  });

  it('counts no failure of the receiver as a rejection', async () => {
    const { port } = await receiver(await secretOf(), [503, 503, 503, 400]);
    const running = await listening('--forward-to', `http://127.0.0.1:${port}/`);
    await createCategories('Failed', 1);
    const rejected = 'was not taken (400); trying again';
    await vi.waitFor(() => expect(running.output.stderr).toContain(rejected), WAIT);
    expect(running.output.stderr).not.toContain('skipped');
  });

  it('prints the events asked for, from a place in the feed', async () => {
    await createCategories('Before', 3);
    const running = await listening('--from', '0', '--events', 'category.created');
    await vi.waitFor(() => expect(running.output.stdout).toContain('Before 2'), WAIT);
    const lines = running.output.stdout.trim().split('\n');
    expect(lines.every((line) => line.split('\t')[2] === 'category.created')).toBe(true);
  });

  it('prints the fields asked for, whatever spaces stand between them', async () => {
    await createCategories('Fields', 1);
    const args = ['--from', '0', '--events', 'category.created', '--fields', 'keyId, type'];
    const running = await listening(...args);
    await vi.waitFor(() => expect(running.output.stdout).toContain('\n'), WAIT);
    expect(running.output.stdout).toMatch(/^\S*\tcategory\.created\n/);
  });

  it('says once per outage that the service is down, and when it tries again', async () => {
    let requests = 0;
    const url = await fakeService((req, res) => {
      requests += 1;
      if (requests === 3) res.writeHead(429, { 'retry-after': '60' }).end();
      else req.socket.destroy();
    });
    const running = startPetstore(['listen', '--from', '0'], {
      env: { ...env, PETSTORE_BASE_URL: url },
    });
    onTestFinished(() => running.interrupt());
    await vi.waitFor(() => expect(requests).toBe(3), WAIT);
    await vi.waitFor(() => expect(running.output.stderr).toContain('60 s'), WAIT);
    running.interrupt();
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `petstore: no connection to ${url}: other side closed; trying again every 3 s`,
      `petstore: ${url} answered with 429; trying again every 60 s`,
    ]);
  });

  it('--no-retry ends it when the service is not reachable', async () => {
    const away = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
    const args = ['listen', '--from', '0', '--no-retry'];
    const { code, stdout, stderr } = await runPetstore(args, { env: away });
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toMatch(/^petstore: \S+ could not be reached: .*\n$/);
  });

  it.each([
    [503, 6],
    [429, 5],
    [200, 6],
  ])('--no-retry ends it after the answer %d without an event', async (status, code) => {
    let requests = 0;
    const url = await fakeService((_, res) => {
      requests += 1;
      res.writeHead(status, { 'content-type': 'text/event-stream' }).end();
    });
    const args = ['listen', '--from', '0', '--no-retry'];
    const ended = await runPetstore(args, { env: { ...env, PETSTORE_BASE_URL: url } });
    expect([ended.code, requests]).toEqual([code, 1]);
  });

  it.each([
    'http://',
    'ftp://localhost/',
    'http://user:secret@localhost/',
    'localhost:99999',
    'a b',
    'http://x/#y',
  ])('refuses to forward to %s, and sends nothing', async (url) => {
    const away = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
    const args = ['listen', '--forward-to', url, '--no-retry'];
    const { code, stdout, stderr } = await runPetstore(args, { env: away });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--forward-to must be an http or https URL');
    expect(stderr).not.toContain('secret');
  });

  it('takes the port of a service on this machine', async () => {
    const running = await listening('--forward-to', '3000', '--profile', 'a b');
    expect(running.output.stderr).toContain(
      "forwarding to http://localhost:3000/; petstore listen --print-secret --profile 'a b' shows",
    );
  });

  it('gives a receiver up that takes nothing for 32 attempts, and says where to go on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let attempts = 0;
    vi.stubGlobal('fetch', async () => {
      attempts += 1;
      if (attempts % 2 === 0) return new Response('', { status: 503 });
      throw new TypeError('fetch failed');
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { signal } = new AbortController();
    const url = 'http://x/?a=1&b=2';
    const flags = new Map([
      ['events', ['order.*', "it's"]],
      ['profile', ['big shop']],
    ]);
    const command = commandOf(url, { words: [], flags });
    const forward = forwardTo({ url, secret: 'whsec_YQ==', command, signal, say: () => {} });
    const given = forward({ id: 'evt_2' } as never, 'evt_1').catch((err: Error) => err);
    await vi.advanceTimersByTimeAsync(300_000);
    const err = await given;
    expect(attempts).toBe(32);
    expect(err).toBeInstanceOf(ConnectionError);
    const [, line] = /Go on later with petstore (.*)$/.exec((err as Error).message)!;
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`]);
    expect(String(words).trim().split('\n')).toEqual([
      ...['listen', '--forward-to', url, '--events', 'order.*', '--events', "it's"],
      ...['--profile', 'big shop', '--from', 'evt_1'],
    ]);
  });

  // On Node 20, a garbage collection may take the signal from a fetch.
  it.each([
    ['an answer', () => new Promise<Response>(() => {})],
    ['the end of one', async () => new Response(new ReadableStream())],
  ])('waits 15 seconds for %s, also if fetch has lost its signal', async (_, fetched) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.stubGlobal('fetch', fetched);
    onTestFinished(() => void vi.unstubAllGlobals());
    const interrupt = new AbortController();
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const { signal } = interrupt;
    const forwarding = { url: 'http://x/', secret: 'whsec_YQ==', command: '', signal, say };
    const forward = forwardTo(forwarding);
    const given = forward({ id: 'evt_2' } as never, 'evt_1').catch((err: Error) => err);
    await vi.advanceTimersByTimeAsync(14_999);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual(['evt_2 was not taken (no answer in time); trying again in 1 s']);
    await vi.advanceTimersByTimeAsync(1_001);
    interrupt.abort(new Error('interrupted'));
    expect(await given).toBe(signal.reason);
  });

  it.each([
    ['--events', 'pet.flew'],
    ['--from', '999999'],
    ['--from', ''],
  ])('refuses %s %s, and does not say that it listens', async (...args) => {
    const { code, stdout, stderr } = await runPetstore(['listen', ...args], { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^petstore: .* \((invalid_request|cursor_unknown), request .*\)\n/);
    expect(stderr).not.toContain('listening');
  });

  it('says once that it listens, however often the stream is connected anew', async () => {
    let requests = 0;
    const url = await fakeService((_, res) => {
      requests += 1;
      res.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\n\n');
    });
    const args = ['listen', '--from', '0'];
    const running = startPetstore(args, { env: { ...env, PETSTORE_BASE_URL: url } });
    await vi.waitFor(() => expect(requests).toBeGreaterThan(2), WAIT);
    running.interrupt();
    expect((await running.ended).stderr).toBe('petstore: listening after 0\n');
  });
});
