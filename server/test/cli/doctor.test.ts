import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { diskFinding, examine } from '../../src/cli/doctor.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { readConfig } from '../../src/config.ts';
import { noteBackup } from '../../src/lib/backup-files.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createPets } from '../../src/services/batches/pet-batches.ts';
import { createCategory } from '../../src/services/categories.ts';
import { bootstrap } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { captureOutput } from '../support/captured-output.ts';
import { createMigratedDatabase, onDatabase } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();
const HOUR_MS = 3_600_000;
let data: string;
beforeEach(async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  data = join(folder.path, 'data');
  vi.stubEnv('PETSTORE_DATA_DIR', data);
  await runCommand(['server', 'migrate']);
  output.stdout = '';
});

async function doctor() {
  output.stdout = '';
  const exitCode = await runCommand(['server', 'doctor']);
  return { exitCode, lines: output.stdout.trim().split('\n') };
}
const faults = async (environment: Record<string, string>) =>
  (await examine(environment, systemClock)).filter(({ state }) => state !== 'ok');

describe('petstore server doctor', () => {
  it('has one line for each part, and warns that there has never been a backup', async () => {
    const { exitCode, lines } = await doctor();
    expect(exitCode, output.stdout).toBe(0);
    const names = lines.map((line) => line.split(/\s+/)[1]);
    expect(names).toEqual(
      'settings disk files database schema clock ledger valkey secrets proxies backup'.split(' '),
    );
    expect(lines.at(-1)).toMatch(/^warning +backup +there has never been one: run /);
    expect(lines.slice(0, -1).filter((line) => !line.startsWith('ok '))).toEqual([]);
  });

  it.each<[string, RegExp, () => void]>([
    ['settings', /PETSTORE_PORT must be/, () => vi.stubEnv('PETSTORE_PORT', 'many')],
    ['files', /mode 755: run chmod 700/, () => chmodSync(data, 0o755)],
    ['files', /petstore.db has mode 644: run/, () => chmodSync(join(data, 'petstore.db'), 0o644)],
    ['database', /is damaged|cannot be used|not a database/, damage],
    ['database', /there is no store at/, () => rmSync(data, { recursive: true })],
    ['clock', /behind the last change .* NTP/, moveFilesAhead],
    ['valkey', /valkey|connect|answer|ECONNREFUSED/i, () => stubValkey('redis://127.0.0.1:1')],
    ['secrets', /there is no key: put secret.key back/, forgetSecretKey],
    ['proxies', /10.0.0.0\/7 is wide/, () => vi.stubEnv('PETSTORE_TRUST_PROXY', '10.0.0.0/7')],
    [
      'backup',
      /72 h old: run petstore server backup/,
      () => noteBackup(data, Date.now() - 72 * HOUR_MS),
    ],
  ])('exits with 1 and names a fault of the %s: %s', async (name, message, plant) => {
    plant();
    const { exitCode, lines } = await doctor();
    expect(exitCode, output.stdout).toBe(1);
    const line = lines.find((each) => each.startsWith(`failed   ${name.padEnd(9)}`));
    expect(line, output.stdout).toMatch(message);
  });

  it.each(['sqlite', 'postgres'])(
    'warns of a ledger that is ahead of the clock on %s',
    async (engine) => {
      const url = engine === 'postgres' ? await createMigratedDatabase() : undefined;
      const environment = url ? { PETSTORE_DATABASE_URL: url } : { PETSTORE_DATA_DIR: data };
      const { store } = await openStore(readConfig(environment));
      await bootstrap(store, { now: Date.now() });
      const caller = {
        workspaceId: 1,
        keyId: 'key',
        scopes: [],
        limits: { perMinute: 1, perDay: 1 },
      };
      const add = (now: number) =>
        store.transact(async (tx) => {
          const category = await createCategory(tx, { caller, category: { name: `${now}` }, now });
          const row = { name: 'Rex', categoryId: category.id, status: 'available' as const };
          const batch = { caller, rows: [row], isAllOrNothing: true, isUpdating: false, now };
          await createPets(tx, batch);
        });
      await add(Date.now());
      const ledger = async () =>
        (await examine(environment, systemClock)).find(({ name }) => name === 'ledger');
      expect(await ledger()).toMatchObject({ state: 'ok' });
      await add(Date.now() + HOUR_MS);
      // A later row of a clock that is right does not hide it.
      await add(Date.now());
      expect(await ledger()).toMatchObject({
        state: 'warning',
        message: expect.stringMatching(
          /^the newest row of workspace 1 is of .+, (359\d|3600) s ahead .*: /,
        ),
      });
      await store.close();
    },
  );

  it('judges the free space of the disk', () => {
    const state = (freeBytes: number) => diskFinding({ freeBytes, totalBytes: 10e9 }).state;
    expect([state(5e9), state(0.9e9), state(0.1e9)]).toEqual(['ok', 'warning', 'failed']);
  });

  it('finds the faults of PostgreSQL', async () => {
    const url = await createMigratedDatabase();
    const environment = { PETSTORE_DATABASE_URL: url };
    expect(await faults(environment)).toEqual([]);
    await onDatabase(url, (client) =>
      client.query(`INSERT INTO nodes SELECT 'node-' || n, ${Date.now()}, ${Date.now()}, '1', 'ready', 'alone', NULL, 0, 0, 0
        FROM generate_series(1, 2) n`),
    );
    expect(await faults(environment)).toMatchObject([{ name: 'valkey', state: 'failed' }]);
    expect(await faults({ ...environment, PETSTORE_DATABASE_CONNECTIONS: '999' })).toContainEqual({
      name: 'database',
      state: 'warning',
      message: expect.stringMatching(/2 nodes need \d+: raise max_connections/),
    });
    const ahead = { now: () => Date.now() + 40_000 };
    await onDatabase(url, (client) =>
      client.query(`CREATE OR REPLACE FUNCTION shared_now(node_now BIGINT) RETURNS BIGINT
        LANGUAGE sql AS 'SELECT node_now - 40000'`),
    );
    expect(await examine(environment, ahead)).toContainEqual(
      expect.objectContaining({ name: 'clock', state: 'failed' }),
    );
    await onDatabase(url, (client) => client.query('DELETE FROM schema_migrations'));
    expect(await faults(environment)).toEqual(
      expect.arrayContaining([expect.objectContaining({ state: 'failed' })]),
    );
    const away = { PETSTORE_DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const message = expect.stringMatching(/ECONNREFUSED.*: check PETSTORE_DATABASE_URL/);
    expect((await faults(away))[0]).toMatchObject({ name: 'database', state: 'failed', message });
  });
});

function damage(): void {
  writeFileSync(join(data, 'petstore.db'), 'not a database'.repeat(500));
}

function moveFilesAhead(): void {
  const later = Date.now() / 1000 + 3_600;
  utimesSync(join(data, 'petstore.db'), later, later);
}

function stubValkey(url: string): void {
  vi.stubEnv('PETSTORE_VALKEY_URL', url);
}

/** A webhook whose secret was sealed by a key that is gone. */
function forgetSecretKey(): void {
  const db = new Database(join(data, 'petstore.db'));
  db.exec(`INSERT INTO workspaces (name, plan, created_at) VALUES ('shop', 'free', 1)`);
  db.exec(`INSERT INTO webhooks (workspace_id, url, types, batch_max, per_second_max, is_verified, state, failures,
      rejections, cursor, revision, cursor_revision, lease_number, secret, secret_hint, created_at)
    VALUES (1, 'https://a.example', '*', 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 'v1.abcd', 'abcd', 1)`);
  db.close();
  mkdirSync(data, { recursive: true });
}
