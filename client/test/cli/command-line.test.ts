import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { commandName, hasCommand } from '../../../scripts/client-commands.ts';
import { operations } from '../../../server/src/operations/operations.ts';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import type { Terminal } from '../../src/cli/command.ts';
import { operationCommands } from '../../src/cli/commands.ts';
import { runApiCommand } from '../../src/cli/main.ts';

const program = fileURLToPath(new URL('../../src/cli/petstore.ts', import.meta.url));
const home = temporaryFolder();
let app: TestApp;
let free: TestApp;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  free = await testApp({ engine: 'sqlite', limits: { perMinute: 2, perDay: 1_000 } });
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

function environment(overrides: Record<string, string> = {}) {
  return {
    PATH: process.env.PATH!,
    XDG_CONFIG_HOME: home.path,
    PETSTORE_API_KEY: app.key,
    PETSTORE_BASE_URL: `${app.address}/v1`,
    ...overrides,
  };
}

/** Runs a command with pipes in place of a terminal. */
async function petstore(args: string[], input = '', env = environment()): Promise<Outcome> {
  const stdin = Readable.from([input]);
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        outcome[name] += String(chunk);
        done();
      },
    });
  const streams = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const { signal } = new AbortController();
  const terminal = { ...streams, env, signal } as unknown as Terminal;
  outcome.code = await runApiCommand(args, terminal);
  return outcome;
}

/** Runs the command line as a program of its own. */
function run(...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...args], { env: environment() });
  const outcome: Outcome = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (outcome.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (outcome.stderr += String(chunk)));
  child.stdin.end();
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ ...outcome, code }));
  });
}

describe('the command line over the API', () => {
  it('has a command for every operation but streams, files and sessions', () => {
    const wanted = operations.filter(hasCommand).map(commandName);
    expect(operationCommands.map(({ name }) => name)).toEqual(wanted);
    expect(new Set(wanted).size).toBe(wanted.length);
  });

  it('creates, lists and orders, with data alone on standard output', async () => {
    const category = await petstore(['categories', 'create', '--name', 'Dogs', '--json']);
    const { id } = JSON.parse(category.stdout) as { id: number };
    const args = ['--name', 'Rex "the" dog', '--category-id', String(id)];
    const pet = JSON.parse((await petstore(['pets', 'create', ...args, '--json'])).stdout);
    expect(pet).toMatchObject({ name: 'Rex "the" dog', categoryId: id });
    const placed = await petstore(['orders', 'place', '--pet-id', String(pet.id), '--json']);
    expect(JSON.parse(placed.stdout)).toMatchObject({ petId: pet.id, complete: false });
    const again = await petstore(['orders', 'place', '--pet-id', String(pet.id)]);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('insufficient_stock');
    const csv = await petstore(['pets', 'list', '-o', 'csv', '--category-id', String(id)]);
    expect(csv.stdout).toMatch(/^id,name,categoryId,category,status\b/);
    expect(csv.stdout).toContain(`\n${pet.id},"Rex ""the"" dog",${id},Dogs,pending`);
    const plain = await petstore([
      'pets',
      'list',
      '--category-id',
      String(id),
      '--fields',
      'id,status',
    ]);
    expect(plain.stdout).toBe(`${pet.id}\tpending\n`);
    const orderId = String(JSON.parse(placed.stdout).id);
    const complete = await petstore(['orders', 'complete', orderId, '--json']);
    expect(JSON.parse(complete.stdout)).toMatchObject({ complete: true });
  });

  it('places an order that expires, by an instant or by a duration', async () => {
    const { id: categoryId } = (
      await app.call('POST', '/v1/categories', { body: { name: 'Cats' } })
    ).body;
    const pet = await app.call('POST', '/v1/pets', { body: { name: 'Tom', categoryId } });
    const place = ['orders', 'place', '--pet-id', String(pet.body.id), '--json'];
    const before = Date.now();
    const placed = await petstore([...place, '--expires-in', '15m']);
    const order = JSON.parse(placed.stdout) as { id: number; expiresAt: string };
    const minutes = (Date.parse(order.expiresAt) - before) / 60_000;
    expect(Math.floor(minutes)).toBeGreaterThanOrEqual(15);
    expect(Date.parse(order.expiresAt)).toBeLessThanOrEqual(Date.now() + 15 * 60_000);
    const cleared = ['orders', 'update', String(order.id), '--clear', 'expires-at', '--json'];
    expect(JSON.parse((await petstore(cleared)).stdout)).not.toHaveProperty('expiresAt');
    for (const wrong of [
      ['--expires-in', '15'],
      ['--expires-in', '1h', '--expires-at', 'x'],
    ]) {
      expect((await petstore([...place, ...wrong])).code).toBe(2);
    }
  });

  it('undoes a change of the stock, and shows the stock as of a moment', async () => {
    const { id: categoryId } = (
      await app.call('POST', '/v1/categories', { body: { name: 'Fish' } })
    ).body;
    const pet = await app.call('POST', '/v1/pets', { body: { name: 'Guppy', categoryId } });
    const id = String(pet.body.id);
    const asOf = new Date(app.clock.now()).toISOString();
    app.clock.advance(10_000);
    await petstore(['stock', 'set', id, '--quantity', '160']);
    const history = JSON.parse((await petstore(['stock', 'history', id, '--json'])).stdout);
    const undo = ['stock', 'undo', id, String(history[1].id), '--reason', 'typing error', '--json'];
    expect(JSON.parse((await petstore(undo)).stdout)).toMatchObject({
      quantityAfter: 1,
      reverses: history[1].id,
    });
    const then = await petstore(['stock', 'as-of', asOf, '--all', '--fields', 'petId,quantity']);
    expect(then.stdout).toContain(`${id}\t1\n`);
    const one = await petstore(['stock', 'get', id, '--as-of', asOf, '--fields', 'quantity']);
    expect(one.stdout).toBe('1\n');
    expect((await petstore(['stock', 'as-of', '--all'])).code).toBe(2);
    expect((await petstore(['stock', 'as-of', 'yesterday'])).code).toBe(1);
  });

  it('takes a body as JSON, where flags win', async () => {
    const data = '{"name":"From data","description":"kept"}';
    const made = await petstore(
      ['categories', 'create', '--data', '-', '--name', 'Flag', '--json'],
      data,
    );
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'Flag', description: 'kept' });
    const { id } = JSON.parse(made.stdout) as { id: number };
    const cleared = await petstore([
      'categories',
      'update',
      String(id),
      '--clear',
      'description',
      '--json',
    ]);
    expect(JSON.parse(cleared.stdout)).toEqual({ id, name: 'Flag' });
    const broken = await petstore(['categories', 'create', '--data', '{"name":\n"x",}']);
    expect([broken.code, broken.stdout]).toEqual([2, '']);
    expect(broken.stderr).toMatch(/line 2,? column/);
  });

  it('lists all pages', async () => {
    const pets = Array.from({ length: 130 }, (_, n) => ({ name: `Many ${n}`, categoryId: 1 }));
    await app.call('POST', '/v1/pets/batch', { body: { pets } });
    const page = await petstore(['pets', 'list', '--name', 'Many']);
    expect(page.stdout.trim().split('\n')).toHaveLength(20);
    expect(page.stderr).toContain('there is more');
    const all = await petstore(['pets', 'list', '--name', 'Many', '--all', '-o', 'ndjson']);
    expect(all.stdout.trim().split('\n')).toHaveLength(130);
    expect(all.stderr).toBe('');
  });

  it('says where the feed goes on, which it does at all times', async () => {
    const first = await petstore(['events', 'list', '--limit', '1', '-o', 'json']);
    const [event] = JSON.parse(first.stdout);
    expect(first.stderr).toContain(`petstore: go on with --after ${event.id}\n`);
    const after = ['--after', event.id];
    const next = await petstore(['events', 'list', ...after, '-o', 'json']);
    expect(JSON.parse(next.stdout)[0].sequence).toBe(event.sequence + 1);
  });

  it('asks before it deletes, and needs --yes without a terminal', async () => {
    const { body } = await app.call('POST', '/v1/categories', { body: { name: 'To delete' } });
    const asked = await petstore(['categories', 'delete', String(body.id)]);
    expect([asked.code, asked.stdout]).toEqual([2, '']);
    expect(asked.stderr).toContain('--yes');
    expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(200);
    const valued = await petstore(['categories', 'delete', String(body.id), '--yes=false']);
    expect([valued.code, valued.stdout]).toEqual([2, '']);
    expect(valued.stderr).toBe('petstore: --yes takes no value\n');
    expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(200);
    const done = await petstore(['categories', 'delete', String(body.id), '--yes']);
    expect([done.code, done.stdout]).toEqual([0, '']);
    expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(404);
  });

  it.each([
    ['1', ['orders', 'get', '999999']],
    ['2', ['pets', 'list', '--nme', 'x']],
    ['2', ['pets', 'list', '--limit', 'many']],
    ['2', ['pets', 'fly']],
    ['2', ['pets', 'list', '--constructor', 'x']],
    ['2', ['version', '--constructor', 'x']],
    ['2', ['help', 'constructor']],
    ['2', ['completion', 'constructor']],
    ['2', ['mcp', 'config', '--for', 'constructor']],
  ])('exits with %s for %j', async (code, args) => {
    const outcome = await petstore(args);
    expect([String(outcome.code), outcome.stdout]).toEqual([code, '']);
  });

  it('suggests what was meant', async () => {
    expect((await petstore(['pets', 'list', '--nme', 'x'])).stderr).toContain('--name');
    const short = await petstore(['pets', 'list', '-constructor']);
    expect(short.stderr).toContain('unknown option --constructor');
    expect((await petstore(['pets', 'lst'])).stderr).toContain('pets list');
    const unknown = await run('ordres', 'list');
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('did you mean `petstore orders list`?');
  });

  it('exits with 4 for a wrong key, 5 at the limit, 6 without a service', async () => {
    const wrong = environment({ PETSTORE_API_KEY: 'psk_wrong' });
    expect((await petstore(['pets', 'list'], '', wrong)).code).toBe(4);
    const limited = environment({
      PETSTORE_API_KEY: free.key,
      PETSTORE_BASE_URL: `${free.address}/v1`,
    });
    for (let n = 0; n < 2; n++) await petstore(['pets', 'list', '--no-retry'], '', limited);
    const refused = await petstore(['pets', 'list', '--no-retry', '--json'], '', limited);
    expect([refused.code, refused.stdout]).toEqual([5, '']);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    const away = environment({ PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' });
    expect((await petstore(['pets', 'list', '--no-retry'], '', away)).code).toBe(6);
  });

  it('runs as a program', async () => {
    const listed = await run('categories', 'list', '--json');
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(Array.isArray(JSON.parse(listed.stdout))).toBe(true);
    expect((await run('--help')).stdout).toMatch(/orders +list place/);
  });

  it('sends any request', async () => {
    const got = await petstore(['api', 'GET', '/pets?limit=1', '-i']);
    const [head, body] = got.stdout.split('\n\n') as [string, string];
    expect(JSON.parse(body)).toHaveLength(1);
    expect(head).toMatch(/^HTTP 200\n/);
    expect(head).toContain('x-ratelimit-limit: ');
    expect(got.stderr).toBe('');
    const made = await petstore(['api', 'POST', '/categories', '--data', '{"name":"By hand"}']);
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'By hand' });
  });

  it('completes words, flags and choices', async () => {
    const complete = async (...words: string[]) =>
      (await petstore(['__complete', ...words])).stdout.trim().split('\n');
    expect(await complete('or')).toEqual(['orders']);
    expect(await complete('orders', 'list', '--co')).toEqual(['--complete']);
    expect(await complete('pets', 'list', '--status', '')).toEqual([
      'available',
      'pending',
      'sold',
    ]);
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await petstore(['completion', shell])).stdout).toContain('petstore __complete');
    }
  });
});

it('the version is JSON under --json', async () => {
  const { stdout } = await petstore(['version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const version = stdout.trim();
  expect(JSON.parse((await petstore(['version', '--json'])).stdout)).toEqual({ version });
});

describe('profiles', () => {
  const without = () => {
    const { PETSTORE_API_KEY: _key, ...others } = environment();
    return others as ReturnType<typeof environment>;
  };
  const file = `${home.path}/petstore/config.json`;

  it('keep a key that was checked, in a file that only its owner can read', async () => {
    const wrong = await petstore(['login'], 'psk_wrong\n', without());
    expect(wrong.code).toBe(4);
    expect(() => statSync(file)).toThrow();
    const login = await petstore(
      ['login', '--base-url', `${app.address}/v1`],
      `${app.key}\n`,
      without(),
    );
    expect([login.code, login.stdout]).toEqual([0, '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${home.path}/petstore`).mode & 0o777).toBe(0o700);
    expect((await petstore(['pets', 'list'], '', without())).code).toBe(0);
    const who = await petstore(['whoami', '--json'], '', without());
    expect(JSON.parse(who.stdout)).toMatchObject({
      source: 'profile default',
      workspace: 'default',
    });
    expect(who.stdout + who.stderr + login.stderr).not.toContain(app.key);
  });

  it('are refused while others can read them', async () => {
    chmodSync(file, 0o644);
    const refused = await petstore(['pets', 'list'], '', without());
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
  });

  it('come after PETSTORE_API_KEY, also a named one, and whoami says so', async () => {
    for (const named of [[], ['--profile', 'default']]) {
      const who = await petstore(['whoami', '--json', ...named]);
      expect(JSON.parse(who.stdout).source).toBe('PETSTORE_API_KEY');
      expect(who.stderr).toBe(
        named.length === 0
          ? ''
          : 'petstore: PETSTORE_API_KEY is set and overrides the profile default\n',
      );
    }
  });

  it.each(['nonsense', 'ftp://store.test/v1', 'http://'])('refuse the base URL %s', async (url) => {
    const env = { ...environment(), PETSTORE_BASE_URL: url };
    for (const words of [['pets', 'list'], ['mcp'], ['login'], ['listen']]) {
      const refused = await petstore(words, `${app.key}\n`, env);
      expect([refused.code, refused.stdout]).toEqual([78, '']);
      expect(refused.stderr).toContain(`the base URL ${url} is not valid`);
    }
  });

  it.each([
    '{',
    'null',
    '[]',
    '"x"',
    '{"profiles":[]}',
    '{"current":5,"profiles":{}}',
    '{"current":"a","profiles":{"a":null}}',
    '{"current":"a","profiles":{"a":{"apiKey":5,"baseUrl":7}}}',
  ])('refuse the file %s', async (text) => {
    const kept = readFileSync(file);
    onTestFinished(() => writeFileSync(file, kept));
    writeFileSync(file, text);
    const refused = await petstore(['pets', 'list'], '', without());
    expect([refused.code, refused.stdout]).toEqual([78, '']);
    expect(refused.stderr).toContain('is not a valid file of profiles');
  });

  it('that cannot be written are refused, with the reason', async () => {
    const env = {
      ...without(),
      PETSTORE_BASE_URL: `${app.address}/v1`,
      XDG_CONFIG_HOME: '/dev/null',
    };
    const refused = await petstore(['login'], `${app.key}\n`, env);
    expect([refused.code, refused.stdout]).toEqual([78, '']);
    expect(refused.stderr).toContain('/dev/null/petstore/config.json cannot be written');
  });

  it('that do not exist are refused by name, and the name is required', async () => {
    for (const words of [
      ['pets', 'list', '--profile'],
      ['profiles', 'use'],
    ]) {
      const refused = await petstore([...words, 'toString'], '', without());
      expect(refused).toMatchObject({ code: 78, stdout: '' });
    }
    expect(await petstore(['profiles', 'use'], '', without())).toMatchObject({ code: 2 });
  });

  it('may name a command that prints the key', async () => {
    mkdirSync(`${home.path}/petstore`, { recursive: true });
    const vault = { apiKeyCommand: `printf %s ${app.key}`, baseUrl: `${app.address}/v1` };
    writeFileSync(file, JSON.stringify({ current: 'vault', profiles: { vault } }), { mode: 0o600 });
    expect((await petstore(['pets', 'list'], '', without())).code).toBe(0);
  });

  it('are removed by logout', async () => {
    expect((await petstore(['logout'], '', without())).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profiles: {} });
    expect((await petstore(['pets', 'list'], '', without())).code).toBe(4);
  });
});
