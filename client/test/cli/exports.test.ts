import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { recordsIn } from '../../../server/test/operations/workspace/archive-files.ts';
import { testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

it('the audit log is listed and exported, with its filters, and without secrets', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  const create = ['keys', 'create', '--name', 'Till', '--scopes', 'read', '--json'];
  const { id, key } = JSON.parse((await runPetstore(create, { env })).stdout);
  await runPetstore(['workspaces', 'set', '--low-stock-at', '3'], { env });
  const filter = ['--action', 'key.created'];
  const listed = await runPetstore(['audit', 'list', ...filter, '--json'], { env });
  // Newest first; the first key of the workspace is the last row.
  expect(JSON.parse(listed.stdout)[0]).toMatchObject({
    action: 'key.created',
    target: `key:${id}`,
  });
  const lines = await runPetstore(['audit', 'export'], { env });
  const rows = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).action);
  expect(rows.slice(0, 2)).toEqual(['workspace.updated', 'key.created']);
  const csv = await runPetstore(['audit', 'export', '--format', 'csv', ...filter], { env });
  expect(csv.stdout.trim().split('\n')).toHaveLength(3);
  expect(csv.stdout).toContain(`key:${id}`);
  expect(listed.stdout + lines.stdout + csv.stdout).not.toContain(key);
  const any = ['audit', 'export-any', '--workspace-id', '1', '--format', 'csv', ...filter];
  const ofOperator = await runPetstore(any, { env });
  expect(ofOperator.stdout.trim().split('\n')).toHaveLength(3);
  const none = ['audit', 'export-any', '--workspace-id', '99'];
  expect((await runPetstore(none, { env })).stdout).toBe('');
  const asCsv = await runPetstore(['audit', 'export', '-o', 'csv', ...filter], { env });
  expect(asCsv.stdout).toBe(csv.stdout);
  for (const wrong of [
    ['--format', 'pdf'],
    ['-o', 'table'],
    ['--fields', 'id'],
  ]) {
    const refused = await runPetstore(['audit', 'export', ...wrong], { env });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
  }
});

it('an export of the audit log that breaks off is a lost connection', async () => {
  const url = await fakeService((_, res) => {
    res.write('{"id":1}\n');
    setImmediate(() => res.destroy());
  });
  const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url };
  const { code, stderr } = await runPetstore(['audit', 'export'], { env });
  expect([code, stderr]).toEqual([6, expect.stringContaining('could not be reached')]);
});

it('a workspace is exported into a new file, which only its owner reads', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const folder = temporaryFolder();
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  const file = `${folder.path}/own.tar.gz`;
  const run = (...args: string[]) => runPetstore(['workspaces', ...args], { env });
  const own = await run('export-own', '--to', file);
  expect([own.code, own.stdout], own.stderr).toEqual([0, '']);
  expect(own.stderr).toContain(`${file} holds ${statSync(file).size} bytes`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { records } = recordsIn(readFileSync(file));
  expect(records.workspace).toMatchObject([{ id: 1 }]);

  const before = readFileSync(file);
  const again = await run('export-own', '--to', file);
  expect([again.code, again.stderr.includes(`${file} exists already`)]).toEqual([2, true]);
  expect(readFileSync(file).equals(before)).toBe(true);

  const nowhere = `${folder.path}/nowhere/own.tar.gz`;
  const unwritten = await run('export-own', '--to', nowhere);
  const reason = 'cannot be written: no such file or directory';
  expect([unwritten.code, unwritten.stderr]).toEqual([2, `petstore: ${nowhere} ${reason}\n`]);

  const any = `${folder.path}/any.tar.gz`;
  expect((await run('export', '1', '--to', any)).code).toBe(0);
  expect(recordsIn(readFileSync(any)).manifest.workspaceId).toBe(1);
  const missing = `${folder.path}/missing.tar.gz`;
  expect((await run('export', '99', '--to', missing)).code).not.toBe(0);
  expect(existsSync(missing)).toBe(false);
  for (const wrong of [
    ['export-own'],
    ['export', '--to', missing],
    ['export', 'x', '--to', missing],
  ]) {
    expect((await run(...wrong)).code, wrong.join(' ')).toBe(2);
  }
  folder.remove();
});

describe('where nothing can be written', () => {
  const program = fileURLToPath(new URL('../../src/cli/petstore.ts', import.meta.url));
  /** Runs a command that may write no byte into a file. Without the trap the system would end it. */
  const petstore = (args: string, env: Record<string, string>) => {
    const line = `trap '' XFSZ; ulimit -f 0; exec "$0" "$1" ${args}`;
    const options = { env: { PATH: process.env.PATH!, ...env }, timeout: 60_000 };
    const running = promisify(execFile)('sh', ['-c', line, process.execPath, program], options);
    running.child.stdin!.end('psk_test\n');
    return running.catch((err: { code: number; stdout: string; stderr: string }) => err);
  };

  it('an export says so, and leaves nothing behind', async () => {
    const app = await testApp({ engine: 'sqlite' });
    const folder = temporaryFolder();
    const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: app.address };
    const file = `${folder.path}/own.tar.gz`;
    const outcome = await petstore(`workspaces export-own --to ${file}`, env);
    const stderr = `petstore: ${file} cannot be written: file too large\n`;
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr });
    expect(readdirSync(folder.path)).toEqual([]);
    folder.remove();
  });

  it('a login says so, and leaves nothing behind', async () => {
    const url = await fakeService((_, res) => res.end('{"name":"Shop"}'));
    const folder = temporaryFolder();
    const login = (home: string) =>
      petstore('login', { XDG_CONFIG_HOME: home, PETSTORE_BASE_URL: url });
    const refused = (home: string, reason: string) => ({
      code: 78,
      stdout: '',
      stderr: `petstore: ${home}/petstore/config.json cannot be written: ${reason}\n`,
    });
    const full = folder.path;
    expect(await login(full)).toMatchObject(refused(full, 'file too large'));
    expect(readdirSync(`${full}/petstore`)).toEqual([]);
    const missing = '/proc/missing';
    expect(await login(missing)).toMatchObject(refused(missing, 'no such file or directory'));
    folder.remove();
  });
});
