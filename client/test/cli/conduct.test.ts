// How commands behave towards the limits of a plan, and towards the key.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

const PROGRAM = fileURLToPath(new URL('../../../server/bin/petstore.js', import.meta.url));

const config = temporaryFolder();
let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite', limits: 'free' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
});

describe('on plan Free', () => {
  it('--all over 1,050 records is complete and refused nothing', async () => {
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    for (const [count, prefix] of [
      [1_000, 'First'],
      [50, 'Last'],
    ] as const) {
      const pets = Array.from({ length: count }, (_, n) => ({
        name: `${prefix} ${n}`,
        categoryId: 1,
      }));
      expect((await app.call('POST', '/v1/pets/batch', { body: { pets } })).status).toBe(200);
    }
    const { code, stdout } = await runPetstore(['pets', 'list', '--all', '-o', 'ndjson'], { env });
    expect(code).toBe(0);
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(1_050);
    const { body } = await app.call('GET', '/v1/usage');
    expect(body.bans).toEqual([]);
    expect(body.history.every(({ refused }: { refused: number }) => refused === 0)).toBe(true);
  });
});

describe('--quiet', () => {
  /** A list of two pages, whose operation is deprecated, behind a service that fails once. */
  async function flaky(): Promise<Record<string, string>> {
    let requests = 0;
    const url = await fakeService((_, res) => {
      requests += 1;
      if (requests === 1) res.writeHead(503, { 'retry-after': '1' }).end();
      else {
        const link = '</v1/pets?cursor=c>; rel="next"';
        res.writeHead(200, { link, deprecation: '@1' }).end('[{"id":1}]');
      }
    });
    return { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url };
  }

  it('leaves out everything but errors', async () => {
    const list = ['pets', 'list', '--fields', 'id', '--profile', 'shop'];
    const loud = await runPetstore(list, { env: await flaky() });
    expect(loud.stderr.trimEnd().split('\n')).toEqual([
      'petstore: PETSTORE_API_KEY is set and overrides the profile shop',
      expect.stringMatching(/^petstore: waiting \d s before/),
      expect.stringContaining('is deprecated'),
      'petstore: there is more; --all lists everything',
    ]);
    const quiet = await runPetstore([...list, '-q'], { env: await flaky() });
    expect(quiet).toEqual({ code: 0, stdout: '1\n', stderr: '' });
  });

  it('keeps errors', async () => {
    const refused = await runPetstore(['pets', 'list', '--limit', '999', '-q'], { env });
    expect(refused.stderr).toMatch(/^petstore: limit must be/);
  });

  it.each([
    [['login'], 'psk'],
    [['profiles', 'use', 'default'], ''],
    [['logout'], ''],
  ])('holds for %j', async (args, input) => {
    const configured = { ...env, XDG_CONFIG_HOME: config.path };
    const given = { env: configured, input: input && app.key };
    expect(await runPetstore([...args, '-q'], given)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

it('--json in the value of an option does not make the error JSON', async () => {
  const create = ['pets', 'create', '--name', 'toy --json', '--category-id', '99'];
  expect((await runPetstore(create, { env })).stderr).toMatch(/^petstore: /);
  expect((await runPetstore([...create, '-o=json'], { env })).stderr).toMatch(/^{"code":/);
  expect((await runPetstore([...create, '--output', 'ndjson'], { env })).stderr).toMatch(/^{/);
});

it('an integer of the query above 2^53 - 1 is sent as it is', async () => {
  const list = ['pets', 'list', '--category-id', '9223372036854775807'];
  expect(await runPetstore(list, { env })).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it('a table without rows says so, and a pipe gets nothing', async () => {
  const list = ['categories', 'list', '--name', 'none'];
  expect(await runPetstore(list, { env })).toMatchObject({ stdout: '', stderr: '' });
  const table = { code: 0, stdout: '', stderr: 'petstore: there are none\n' };
  expect(await runPetstore([...list, '-o', 'table'], { env })).toEqual(table);
});

it('a secret that was lost with its response is reported', async () => {
  const once = ['--idempotency-key', 'lost', '--json'];
  const create = ['keys', 'create', '--name', 'lost', '--scopes', 'read', '--profile=x', ...once];
  expect(await runPetstore(create, { env })).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await runPetstore(create, { env });
  const { id } = JSON.parse(stdout);
  expect([code, JSON.parse(stderr.split('\n').at(-2)!)]).toMatchObject([
    1,
    { code: 'secret_lost' },
  ]);
  expect(stderr).toContain(`petstore keys rotate ${id} --profile x for`);
});

describe('a service that refuses', () => {
  /** Answers 429 as often as given, then an empty list. */
  async function refusing(times: number) {
    let requests = 0;
    const url = await fakeService((_, res) => {
      requests += 1;
      const body = {
        code: 'rate_limit_exceeded',
        message: 'Too many.',
        status: 429,
        requestId: 'r1',
      };
      if (requests > times) res.end('[]');
      else res.writeHead(429, { 'retry-after': '1' }).end(JSON.stringify(body));
    });
    return {
      env: { ...env, PETSTORE_BASE_URL: url },
      requests: () => requests,
    };
  }

  it('is waited for, and standard error says so', async () => {
    const { env: refused, requests } = await refusing(1);
    const { code, stderr } = await runPetstore(['pets', 'list'], { env: refused });
    expect([code, requests()]).toEqual([0, 2]);
    expect(stderr).toMatch(/waiting \d+ s before the next request/);
  });

  it('is asked once with --no-retry', async () => {
    const { env: refused, requests } = await refusing(1);
    const { code, stdout } = await runPetstore(['pets', 'list', '--no-retry'], { env: refused });
    expect([code, stdout, requests()]).toEqual([5, '', 1]);
  });
});

it('the progress of --all shares its line with nothing else', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let pages = 0;
  const url = await fakeService((_, res) => {
    pages += 1;
    vi.setSystemTime(Date.now() + 3_000);
    const error = { code: 'invalid_request', message: 'No.', status: 400 };
    if (pages > 2) res.writeHead(400).end(JSON.stringify(error));
    else res.writeHead(200, { link: `</v1/pets?cursor=${pages}>; rel="next"` }).end('[{"id":1}]');
  });
  const { code, stderr } = await runPetstore(['pets', 'list', '--all', '--json'], {
    env: { ...env, PETSTORE_BASE_URL: url },
  });
  expect(code).toBe(1);
  const lines = stderr.trim().split(/[\r\n]+/);
  expect(lines.slice(0, -1)).toEqual(['petstore: 1 records …', 'petstore: 2 records …']);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ code: 'invalid_request' });
});

describe('the key', () => {
  it('is in no output, also with --verbose and when it is refused', async () => {
    const secret = 'psk_AAAAAAAAAAAABBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
    for (const args of [
      ['pets', 'list'],
      ['whoami'],
      ['api', 'GET', '/pets', '-i'],
      ['orders', 'get', '1'],
    ]) {
      for (const apiKey of [app.key, secret]) {
        const { stdout, stderr } = await runPetstore([...args, '--verbose', '--no-retry'], {
          env: { ...env, PETSTORE_API_KEY: apiKey },
        });
        expect(stderr).toMatch(/petstore: GET \/\S+ \d{3}, request \S+, \d+ ms/);
        expect(stdout + stderr).not.toContain(apiKey.slice(16));
      }
    }
  });

  it('is named by whoami, which says what it does not know', async () => {
    const known = await runPetstore(['whoami'], { env });
    expect(known.stdout).toMatch(/^expiresAt {3}never$/m);
    expect(known.stdout).not.toContain('unknown');
    const answers: Record<string, unknown> = {
      workspace: { name: 'Shop', plan: 'free' },
      usage: { windows: [] },
      keys: [],
    };
    const asked: string[] = [];
    const url = await fakeService((req, res) => {
      asked.push(req.url!);
      const [, name] = /^\/v1\/(\w+)/.exec(req.url!)!;
      res.end(JSON.stringify(answers[name!]));
    });
    const { stdout } = await runPetstore(['whoami'], { env: { ...env, PETSTORE_BASE_URL: url } });
    for (const name of ['key', 'keyId', 'scopes', 'expiresAt']) {
      expect(stdout).toMatch(new RegExp(`^${name} +unknown$`, 'm'));
    }
    expect(stdout).not.toContain('never');
    // A workspace may have many keys, and each page costs a request.
    expect(asked).toContain('/v1/keys?limit=100');
  });

  it.runIf(process.platform === 'linux')('is on no command line that other users see', async () => {
    let commandLine = '';
    const url = await fakeService((_, res) => {
      commandLine = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
      res.end('[]');
    });
    const child = spawn(process.execPath, [PROGRAM, 'pets', 'list'], {
      env: { ...env, PETSTORE_BASE_URL: url },
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(commandLine).toContain('pets');
    expect(commandLine).not.toContain(app.key);
  });
});
