import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { captureOutput } from '../support/captured-output.ts';
import { firstKeyOf, petstore, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A running service notices changes of keys within a second; the keys are asked for more seldom than 60 times. */
const WAIT = { timeout: 20_000, interval: 1_000 };

let environment: Record<string, string>;
beforeEach(() => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  environment = { PETSTORE_DATA_DIR: folder.path };
});

async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await petstore(args, environment);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

async function statusOf({ address }: Service, key: string, method = 'GET'): Promise<number> {
  return (await fetch(`${address}/v1/pets`, { method, headers: { 'x-api-key': key } })).status;
}

describe('petstore server keys, beside a running service', () => {
  it('creates, lists and revokes keys, and the service notices', async () => {
    const service = await startService(environment.PETSTORE_DATA_DIR!);
    const first = firstKeyOf(service);
    const create = ['server', 'keys', 'create', '--name', 'web shop', '--scopes', 'read', '--json'];
    const created = JSON.parse(await run(...create));
    const { id, key } = created;
    expect(created).toMatchObject({ name: 'web shop', scopes: ['read'], hint: key.slice(0, 12) });
    expect(await statusOf(service, key)).toBe(200);
    expect(await statusOf(service, key, 'POST')).toBe(403);

    const people = await run('server', 'keys', 'create', '--name', 'till');
    expect(await statusOf(service, /^psk_\w{50}$/m.exec(people)![0])).toBe(200);

    const listed = await run('server', 'keys', 'list', '--json');
    const ids = JSON.parse(listed).map((known: { id: string }) => known.id);
    expect(ids).toHaveLength(3);
    expect(ids).toEqual(expect.arrayContaining([first.slice(4, 16), id]));
    const table = await run('server', 'keys', 'list');
    for (const name of ['first key', 'web shop', 'till']) expect(table).toContain(name);
    expect(listed + table).not.toMatch(/psk_\w{20}/);

    await run('server', 'keys', 'revoke', id);
    await vi.waitFor(async () => expect(await statusOf(service, key)).toBe(401), WAIT);
    expect(await statusOf(service, first)).toBe(200);
  });
});

it('`server backup --into` ends where no folder can be made', async () => {
  await run('server', 'migrate');
  const args = ['server', 'backup', '--into', '/proc/missing', '--keep', '1'];
  const { exitCode, stderr } = await petstore(args, environment);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('/proc/missing')]);
});

describe('the command line', () => {
  const output = captureOutput();
  beforeEach(() => {
    vi.stubEnv('PETSTORE_DATA_DIR', environment.PETSTORE_DATA_DIR);
  });

  it('migrates once', async () => {
    expect(await runCommand(['server', 'migrate', '--json'])).toBe(0);
    expect(JSON.parse(output.stdout).applied.length).toBeGreaterThan(0);
    output.stdout = '';
    expect(await runCommand(['server', 'migrate', '--json'])).toBe(0);
    expect(JSON.parse(output.stdout)).toEqual({ applied: [] });
  });

  it.each([
    ['keys'],
    ['server keys paint'],
    ['server keys revoke'],
    ['server keys revoke AAAAAAAAAAAA'],
    ['server keys rotate'],
    ['server keys rotate AAAAAAAAAAAA --overlap-seconds -1'],
    ['server keys create --scopes read,fly'],
    ['server keys create --expires-at yesterday'],
    ['server keys create --expires-at 2020-01-01T00:00:00Z'],
    ['server keys list --workspace x'],
    ['server keys list --colour'],
    ['dance'],
  ])('says what is wrong with `%s`, in one line', async (line) => {
    expect(await runCommand(line.split(' '))).toBeGreaterThan(0);
    expect(output.stdout).toBe('');
    expect(output.stderr).toMatch(/^petstore: [^\n]+\n$/);
  });
});
