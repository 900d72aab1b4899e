import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { firstKeyOf, petstore, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  onTestFinished(temporary.remove);
  folder = join(temporary.path, 'data');
});

async function stop({ process, exited }: Service) {
  process.kill('SIGINT');
  expect(await exited).toBe(0);
}

async function get<T>({ address }: Service, path: string, key: string) {
  const response = await fetch(`${address}${path}`, { headers: { 'x-api-key': key } });
  return { status: response.status, body: (await response.json()) as T };
}

describe('the first start on an empty folder', () => {
  it('prints a key with all scopes on a line of its own, to standard error, and the next start prints none', async () => {
    const first = await startService(folder);
    const key = firstKeyOf(first);
    expect(first.output()).toContain(`npx petstore login --base-url ${first.address}/v1\n`);
    expect(first.output()).toContain('The plan is Free: 60 requests a minute.');
    const { body: workspace } = await get(first, '/v1/workspace', key);
    const limits = { perMinute: 60, perDay: 1_000 };
    expect(workspace).toMatchObject({ id: 1, name: 'default', plan: 'free', limits });
    const { body: keys } = await get<{ scopes: string[] }[]>(first, '/v1/keys', key);
    expect(keys.map(({ scopes }) => scopes)).toEqual([['read', 'write', 'manage', 'operate']]);
    expectFilesToBePrivate(key);
    expect(first.stdout()).not.toContain('psk_');
    for (const line of first.stdout().trim().split('\n')) JSON.parse(line);
    // Elsewhere, with other settings.
    const printed = first.output().match(/^curl .*$/gm)!;
    const [pets, raised] = printed.map((line) =>
      execFileSync('bash', ['-c', line], { cwd: '/', env: {} }),
    );
    expect(JSON.parse(String(pets))).toEqual([]);
    expect(JSON.parse(String(raised))).toMatchObject({ id: 1, plan: 'pro' });
    await stop(first);

    const second = await startService(folder);
    expect(second.output()).not.toContain('psk_');
    expect(second.output()).toContain('petstore server keys create');
    expect((await get(second, '/v1/pets', key)).status).toBe(200);
  });

  it('creates no key when its port is taken, so that the next start prints one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const settings = { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: String(port) };
    const { exitCode, stderr } = await petstore(['serve'], settings);
    expect(exitCode).toBe(1);
    expect(stderr).not.toContain('psk_');

    await expectFirstKeyToWork(await startService(folder));
  });

  it('creates no key that it cannot print, so that the next start prints one', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const settings = { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: '0' };
    const { exitCode, stdout } = await petstore(['serve'], settings, full);
    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('is ready');

    await expectFirstKeyToWork(await startService(folder));
  });

  it('takes the key that PETSTORE_BOOTSTRAP_KEY sets, once, and prints none', async () => {
    const [key, other] = [generateApiKey().key, generateApiKey().key];
    const first = await startService(folder, { PETSTORE_BOOTSTRAP_KEY: key });
    expect(first.output()).not.toContain('psk_');
    expect((await get(first, '/v1/pets', key)).status).toBe(200);
    await stop(first);
    const second = await startService(folder, { PETSTORE_BOOTSTRAP_KEY: other });
    expect((await get(second, '/v1/pets', key)).status).toBe(200);
    expect((await get(second, '/v1/pets', other)).status).toBe(401);
  });
});

async function expectFirstKeyToWork(service: Service): Promise<void> {
  expect((await get(service, '/v1/pets', firstKeyOf(service))).status).toBe(200);
}

function expectFilesToBePrivate(key: string): void {
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const files = readdirSync(folder);
  expect(files).toEqual(expect.arrayContaining(['petstore.db', 'petstore.db-wal']));
  for (const file of files) {
    expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
    expect(readFileSync(join(folder, file)).includes(key.slice(16)), file).toBe(false);
  }
}
