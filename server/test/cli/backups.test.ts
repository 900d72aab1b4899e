import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';
import { copyNameAt, deleteOldCopies, digestOf } from '../../src/lib/backup-files.ts';
import { captureOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const output = captureOutput();
let parent: string;
let data: string;
let copy: string;

const run = (line: string) => {
  output.stdout = '';
  output.stderr = '';
  return runCommand(['server', ...line.split(' ')]);
};

/** Every row of every table as text. */
function rowsIn(file: string): Set<string> {
  const db = new Database(file, { readonly: true });
  const names = db
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];
  const rows = names.flatMap((name) =>
    db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => `${name} ${JSON.stringify(row)}`),
  );
  db.close();
  return new Set(rows);
}

// All tests begin with the same store.
const made = temporaryFolder();
beforeAll(async () => {
  vi.stubEnv('PETSTORE_DATA_DIR', join(made.path, 'data'));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await run('migrate');
  await run('workspaces create --name shop');
  await run('demo --pets 5');
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(made.remove);

beforeEach(() => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  parent = folder.path;
  data = join(parent, 'data');
  copy = join(parent, 'copy.db');
  vi.stubEnv('PETSTORE_DATA_DIR', data);
  cpSync(join(made.path, 'data'), data, { recursive: true });
});

describe('a backup', () => {
  it('has a manifest with its digest and its rows', async () => {
    expect(await run(`backup --to ${copy} --verify`), output.stderr).toBe(0);
    expect(output.stdout).toContain('counts, orders and ledger agree');
    const manifest = JSON.parse(readFileSync(`${copy}.json`, 'utf8'));
    expect(manifest).toMatchObject({ sha256: digestOf(copy), bytes: statSync(copy).size });
    expect(manifest).toMatchObject({ isReconciled: true, rows: { pets: 5 } });
    expect(statSync(join(data, 'last-backup')).isFile()).toBe(true);
  });

  it('that is to be verified is refused if its counts do not add up', async () => {
    const db = new Database(join(data, 'petstore.db'));
    db.exec('UPDATE pets SET quantity = quantity + 1 WHERE id = 1');
    db.close();
    expect(await run(`backup --to ${copy}`)).toBe(0);
    expect(await run(`backup --to ${copy}2 --verify`)).toBe(1);
    expect(output.stderr).toContain('its counts do not add up: pet 1:');
    expect(existsSync(`${copy}2.json`)).toBe(false);
  });

  it('into a folder keeps the newest, and leaves files of other names alone', async () => {
    const into = join(parent, 'backups');
    mkdirSync(into);
    writeFileSync(join(into, 'notes.db'), '');
    for (const day of [1, 2, 3]) {
      const name = copyNameAt(Date.UTC(2026, 0, day));
      writeFileSync(join(into, name), '');
      writeFileSync(join(into, `${name}.json`), '{}');
    }
    expect(await run(`backup --into ${into} --keep 2`), output.stderr).toBe(0);
    const left = readdirSync(into).toSorted();
    expect(left).toHaveLength(6);
    expect(left).toEqual(
      expect.arrayContaining([
        'erased-workspaces.json',
        'notes.db',
        'petstore-20260103T000000Z.db',
      ]),
    );
    expect(deleteOldCopies(into, 5)).toEqual([]);
  });

  it('into a folder deletes what older backups that were killed have left', async () => {
    const into = join(parent, 'backups');
    mkdirSync(into);
    const [past, future] = [Date.UTC(2020, 0, 1), Date.UTC(9999, 0, 1)].map(copyNameAt);
    const left = ['.partial', '.partial-journal', '.json.partial'].map((end) => past + end);
    const others = [`${past}.gz`, `${future}.partial`];
    for (const name of [...left, ...others]) writeFileSync(join(into, name), '');
    expect(await run(`backup --into ${into} --keep 1`), output.stderr).toBe(0);
    const names = readdirSync(into);
    expect(names).toEqual(expect.arrayContaining(others));
    expect(names).toHaveLength(others.length + 3);
  });

  it('is refused beside a list of erased workspaces that is none, and writes nothing', async () => {
    for (const list of ['{}', '[{"id":"1"}]', '[{"id":1}]', '[null]', 'no JSON']) {
      writeFileSync(join(parent, 'erased-workspaces.json'), list);
      expect(await run(`backup --to ${copy}`)).toBe(1);
      expect(output.stderr).toContain('list of erased workspaces');
      expect(existsSync(copy)).toBe(false);
    }
  });

  it.each([
    ['backup', '--to FILE, or --into FOLDER'],
    ['backup --to a --into b --keep 1', '--to FILE, or --into FOLDER'],
    ['backup --into b', '--into needs --keep N'],
    ['backup --into b --keep 0', '--into needs --keep N'],
    ['backup --to a --keep 1', '--keep goes with --into'],
    ['restore --from a', '--to FOLDER or --drill'],
    ['restore --from a --to b --drill', '--to FOLDER or --drill'],
  ])('`%s` says what is missing', async (line, message) => {
    expect(await run(line)).toBe(2);
    expect(output.stderr).toContain(message);
  });
});

describe('restore', () => {
  it('puts a backup into an empty folder', async () => {
    await run(`backup --to ${copy}`);
    const to = join(parent, 'restored');
    expect(await run(`restore --from ${copy} --to ${to}`), output.stderr).toBe(0);
    expect(output.stdout).toContain('the digest of the copy matches its manifest');
    expect(statSync(join(to, 'petstore.db')).mode & 0o777).toBe(0o600);
    const restored = rowsIn(join(to, 'petstore.db'));
    const copied = rowsIn(copy);
    const added = [...restored].filter((row) => !copied.has(row));
    expect(added).toEqual([expect.stringContaining('server restore')]);
    expect(restored.size).toBe(copied.size + 1);
    vi.stubEnv('PETSTORE_DATA_DIR', to);
    expect(await run('reconcile')).toBe(0);
  });

  it('refuses a backup with one byte changed, and restores nothing', async () => {
    await run(`backup --to ${copy}`);
    const fd = openSync(copy, 'r+');
    writeSync(fd, Buffer.from([readFileSync(copy)[5_000]! ^ 1]), 0, 1, 5_000);
    const to = join(parent, 'restored');
    for (const target of [`--to ${to}`, '--drill']) {
      expect(await run(`restore --from ${copy} ${target}`)).toBe(1);
      expect(output.stderr).toContain(`${copy} is damaged: its digest is not the one in`);
    }
    expect(existsSync(to)).toBe(false);
  });

  it('says so if there is no digest to check', async () => {
    await run(`backup --to ${copy}`);
    rmSync(`${copy}.json`);
    expect(await run(`restore --from ${copy} --to ${join(parent, 'restored')}`)).toBe(0);
    expect(output.stdout).toContain('could not be checked');
  });

  it('refuses a folder that is not empty, and changes nothing in it', async () => {
    await run(`backup --to ${copy}`);
    const before = digestOf(join(data, 'petstore.db'));
    expect(await run(`restore --from ${copy} --to ${data}`)).toBe(1);
    expect(output.stderr).toContain(`${data} is not empty`);
    expect(digestOf(join(data, 'petstore.db'))).toBe(before);
  });

  it('refuses what is no backup', async () => {
    const text = join(parent, 'notes.txt');
    writeFileSync(text, 'not a database, but long enough to be read as one'.repeat(100));
    for (const from of [text, join(parent, 'none'), parent]) {
      const to = join(parent, 'restored');
      expect(await run(`restore --from ${from} --to ${to}`)).toBe(1);
      expect(output.stderr).toContain(from);
      expect(existsSync(join(to, 'petstore.db'))).toBe(false);
    }
  });

  it('refuses the file of a store whose newest changes are in its log', async () => {
    const db = new Database(join(data, 'petstore.db'));
    db.exec("INSERT INTO workspaces (name, plan, created_at) VALUES ('new', 'free', 1)");
    const to = join(parent, 'restored');
    expect(await run(`restore --from ${join(data, 'petstore.db')} --to ${to}`)).toBe(1);
    expect(output.stderr).toContain('its newest changes are in');
    expect(existsSync(to)).toBe(false);
    db.close();
    expect(await run(`restore --from ${join(data, 'petstore.db')} --to ${to}`)).toBe(0);
  });

  it('does not bring back a workspace that was erased after the backup', async () => {
    await run('workspaces create --name gone');
    await run(`backup --to ${copy}`);
    expect(JSON.parse(readFileSync(join(parent, 'erased-workspaces.json'), 'utf8'))).toEqual([]);
    const db = new Database(join(data, 'petstore.db'));
    db.exec(`UPDATE workspaces SET erased_at = ${Date.now()} WHERE id = 2`);
    db.close();
    await run(`backup --to ${copy}2`);
    const to = join(parent, 'restored');
    expect(await run(`restore --from ${copy} --to ${to}`), output.stderr).toBe(0);
    expect(output.stdout).toContain('1 workspace erased since the copy');
    const restored = new Database(join(to, 'petstore.db'));
    onTestFinished(() => void restored.close());
    const states = restored.prepare('SELECT id, state, erase_at <= ? AS due FROM workspaces');
    expect(states.all(Date.now())).toEqual([
      { id: 1, state: 'active', due: null },
      { id: 2, state: 'closing', due: 1 },
    ]);
    const valid = 'SELECT workspace_id FROM api_keys WHERE revoked_at IS NULL';
    expect(new Set(restored.prepare(valid).pluck().all())).toEqual(new Set([1]));
  });

  it.each([
    // An older copy was restored, which did not know that the id had been given.
    ['an erased one', { erasedAt: Date.now() - 60_000 }],
    ['one that was erased in another database', { erasedAt: Date.now() + 60_000, store: 1 }],
  ])('leaves a workspace alone that has the id of %s', async (_, erased) => {
    const list = [{ id: 2, ...erased }];
    writeFileSync(join(parent, 'erased-workspaces.json'), JSON.stringify(list));
    await run('workspaces create --name new');
    await run(`backup --to ${copy}`);
    const to = join(parent, 'restored');
    expect(await run(`restore --from ${copy} --to ${to}`), output.stderr).toBe(0);
    expect(output.stdout).not.toContain('erased since');
    const restored = new Database(join(to, 'petstore.db'));
    onTestFinished(() => void restored.close());
    const states = restored.prepare('SELECT id, state FROM workspaces WHERE id = 2');
    expect(states.all()).toEqual([{ id: 2, state: 'active' }]);
  });

  it('that cannot be finished leaves no database that a start would serve', async () => {
    await run(`backup --to ${copy}`);
    rmSync(`${copy}.json`);
    const db = new Database(copy);
    db.exec('DROP TABLE audit_log');
    db.close();
    const to = join(parent, 'restored');
    expect(await run(`restore --from ${copy} --to ${to}`)).toBe(1);
    expect(output.stderr).toMatch(/^petstore: .* was not restored into .*audit_log.*\n$/);
    expect(readdirSync(to)).toEqual([]);
  });

  it('drills: serves from the backup until it is ready, and leaves nothing behind', async () => {
    await run(`backup --to ${copy}`);
    vi.stubEnv('TMPDIR', join(parent, 'tmp'));
    mkdirSync(join(parent, 'tmp'));
    const before = digestOf(join(data, 'petstore.db'));
    expect(await run(`restore --from ${copy} --drill`), output.stderr).toBe(0);
    expect(output.stdout).toMatch(/the copy serves: ready after [\d.]+ s/);
    expect(readdirSync(join(parent, 'tmp'))).toEqual([]);
    expect(digestOf(join(data, 'petstore.db'))).toBe(before);
  });

  it('names what to use with PostgreSQL', async () => {
    vi.stubEnv('PETSTORE_DATABASE_URL', 'postgres://127.0.0.1:1/none');
    expect(await run(`restore --from ${copy} --drill`)).toBe(1);
    expect(output.stderr).toContain('use pg_restore');
  });
});
