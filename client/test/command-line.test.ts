import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandName } from '../../scripts/client-commands.ts';
import { operations } from '../../server/src/operations/operations.ts';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import type { Terminal } from '../src/cli/command.ts';
import { operationCommands } from '../src/cli/commands.ts';
import { runApiCommand } from '../src/cli/main.ts';

const program = fileURLToPath(new URL('../src/cli/petstore.ts', import.meta.url));
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
  it('has a command for every operation but the stream', () => {
    const wanted = operations.filter(({ id }) => id !== 'streamEvents').map(commandName);
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
    expect(csv.stdout).toBe(
      `id,name,categoryId,status\n${pet.id},"Rex ""the"" dog",${id},pending\n`,
    );
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

  it('asks before it deletes, and needs --yes without a terminal', async () => {
    const { body } = await app.call('POST', '/v1/categories', { body: { name: 'To delete' } });
    const asked = await petstore(['categories', 'delete', String(body.id)]);
    expect([asked.code, asked.stdout]).toEqual([2, '']);
    expect(asked.stderr).toContain('--yes');
    expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(200);
    const done = await petstore(['categories', 'delete', String(body.id), '--yes']);
    expect([done.code, done.stdout, done.stderr]).toEqual([0, '', '']);
    expect((await app.call('GET', `/v1/categories/${body.id}`)).status).toBe(404);
  });

  it.each([
    ['1', ['orders', 'get', '999999']],
    ['2', ['pets', 'list', '--nme', 'x']],
    ['2', ['pets', 'list', '--limit', 'many']],
    ['2', ['pets', 'fly']],
  ])('exits with %s for %j', async (code, args) => {
    const outcome = await petstore(args);
    expect([String(outcome.code), outcome.stdout]).toEqual([code, '']);
  });

  it('suggests what was meant', async () => {
    expect((await petstore(['pets', 'list', '--nme', 'x'])).stderr).toContain('--name');
    expect((await petstore(['pets', 'lst'])).stderr).toContain('pets list');
    const unknown = await run('ordres', 'list');
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('did you mean orders?');
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
    expect((await run('--help')).stdout).toContain('orders place');
  });

  it('sends any request', async () => {
    const got = await petstore(['api', 'GET', '/pets?limit=1', '-i']);
    expect(JSON.parse(got.stdout)).toHaveLength(1);
    expect(got.stderr).toContain('x-ratelimit-limit');
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

  it('fills an empty store once', async () => {
    const key = await app.addWorkspace();
    const empty = environment({ PETSTORE_API_KEY: key });
    const filled = await petstore(['demo'], '', empty);
    expect(JSON.parse(filled.stdout)).toEqual({ categories: 5, pets: 20, orders: 8 });
    const again = await petstore(['demo'], '', empty);
    expect([again.code, again.stdout]).toEqual([2, '']);
  });
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

  it('come after PETSTORE_API_KEY, and whoami says so', async () => {
    const who = await petstore(['whoami', '--json']);
    expect(JSON.parse(who.stdout).source).toBe('PETSTORE_API_KEY');
  });

  it('may name a command that prints the key', async () => {
    mkdirSync(`${home.path}/petstore`, { recursive: true });
    const profile = { apiKeyCommand: `printf %s ${app.key}`, baseUrl: `${app.address}/v1` };
    const text = JSON.stringify({ current: 'vault', profiles: { vault: profile } });
    writeFileSync(file, text, { mode: 0o600 });
    expect((await petstore(['pets', 'list'], '', without())).code).toBe(0);
  });

  it('are removed by logout', async () => {
    expect((await petstore(['logout'], '', without())).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profiles: {} });
    expect((await petstore(['pets', 'list'], '', without())).code).toBe(4);
  });
});
