import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { petstore, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  const temporary = temporaryFolder();
  folder = temporary.path;
  file = join(folder, 'petstore.db');
  onTestFinished(temporary.remove);
});

/** Gives the one line that it said. */
async function expectRefused(environment: Record<string, string> = {}): Promise<string> {
  const given = { PETSTORE_DATA_DIR: folder, PETSTORE_PORT: '0', ...environment };
  const { exitCode, stdout, stderr } = await petstore(['serve'], given);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^petstore: [^\n]+\n$/);
  expect(exitCode).toBe(1);
  return stderr;
}

describe('a start is refused', () => {
  it('with every fault of the settings at once, a line each', async () => {
    const { exitCode, stdout, stderr } = await petstore(['serve'], {
      PETSTORE_DATA_DIR: folder,
      PETSTORE_PORT: '80800',
      PETSTORE_DATABASE_URL: 'mysql://root:secret@db/store',
      PETSTORE_LOG_LEVEL: 'loud',
      PETSTORE_BOOTSTRAP_KEY: 'psk_secret',
      PETSTORE_BAN_LADDER_SECONDS: '60,,5',
      PETSTORE_COLOUR: 'red',
    });
    expect(exitCode).toBe(78);
    expect(stdout).toBe('');
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => /^petstore: (PETSTORE_\w+) /.exec(line)?.[1])).toEqual([
      'PETSTORE_PORT',
      'PETSTORE_DATABASE_URL',
      'PETSTORE_BOOTSTRAP_KEY',
      'PETSTORE_LOG_LEVEL',
      'PETSTORE_BAN_LADDER_SECONDS',
      'PETSTORE_COLOUR',
    ]);
    expect(stderr).not.toContain('secret');
    expect(lines[4]).toBe(
      'petstore: PETSTORE_BAN_LADDER_SECONDS must be numbers of seconds from 1 to 31536000, separated by commas; "60,,5" is not',
    );
    expect(lines[5]).toBe(
      'petstore: PETSTORE_COLOUR is not a setting of this service: correct its name, or unset it',
    );
  });

  it('while another process serves from the folder, and no longer once that was killed', async () => {
    const first = await startService(folder);
    expect(await expectRefused()).toBe(
      `petstore: another petstore is serving from ${folder}; ` +
        'stop it, or set PETSTORE_DATA_DIR to another folder\n',
    );
    expect((await fetch(`${first.address}/readyz`)).status).toBe(200);
    first.process.kill('SIGKILL');
    await first.exited;
    const next = await startService(folder);
    expect((await fetch(`${next.address}/readyz`)).status).toBe(200);
  });

  it('on a folder that cannot be one', async () => {
    writeFileSync(file, '');
    for (const path of [file, join(file, 'data')]) {
      const said = await expectRefused({ PETSTORE_DATA_DIR: path });
      expect(said).toContain(`'${path}'`);
      expect(said).toMatch(/ or set PETSTORE_DATA_DIR to one\n$/);
    }
  });

  it.runIf(process.platform === 'linux')(
    'on a folder that the system does not create',
    async () => {
      const missing = '/proc/missing/data';
      expect(await expectRefused({ PETSTORE_DATA_DIR: missing })).toContain('/proc/missing');
    },
  );
});

describe('a file of TLS', () => {
  const named = (name: string, at: string) => ({
    PETSTORE_DATABASE_URL: `postgres://user:secret@127.0.0.1:1/shop?sslmode=verify-full&${name}=${at}`,
  });

  it.each<[string, string]>([
    ['sslrootcert', 'which does not exist: '],
    ['sslcert', 'which is a folder: '],
    ['sslrootcert', 'which has no certificate in PEM: '],
    ['sslkey', 'which has no key in PEM: '],
  ])('of %s, %s: start and doctor name it', async (name, reason) => {
    const at = join(folder, 'a.pem');
    if (reason.includes('folder')) mkdirSync(at);
    if (reason.includes('PEM')) writeFileSync(at, '-----BEGIN CERTIFICATE-----\nhello\n');
    const fault = `${name} in PETSTORE_DATABASE_URL names ${at}, ${reason}`;
    const said = await expectRefused(named(name, at));
    expect(said.startsWith(`petstore: ${fault}`), said).toBe(true);
    expect(said).not.toContain('secret');
    const { exitCode, stdout } = await petstore(['server', 'doctor'], named(name, at));
    expect([exitCode, stdout.includes(`failed   database  ${fault}`)], stdout).toEqual([1, true]);
  });
});

describe('a start is refused, and the file left as it was, when it', () => {
  const write = (sql: string) => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
  const broken: [string, () => void][] = [
    ['is no database', () => writeFileSync(file, 'Today I bought a dog.\n'.repeat(200))],
    ['belongs to another program', () => write('CREATE TABLE diary (page TEXT)')],
    [
      'was migrated by a newer version',
      () => {
        migrateSqlite(file);
        write("INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 0)");
      },
    ],
    [
      'is damaged',
      () => {
        migrateSqlite(file);
        const bytes = readFileSync(file);
        bytes.fill(0xa5, 4_096 * 2, 4_096 * 6);
        writeFileSync(file, bytes);
      },
    ],
  ];
  it.each(broken)('%s', async (_, prepare) => {
    prepare();
    const before = readFileSync(file);
    await expectRefused();
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('a damaged database', () => {
  const RESTORE = 'petstore server restore --from COPY --to FOLDER\n';
  const change = (edit: (bytes: Buffer) => Buffer | undefined) => {
    const bytes = readFileSync(file);
    writeFileSync(file, edit(bytes) ?? bytes);
  };
  const PAGE = 2_048;
  const damages: [string, () => void][] = [
    ['is no database', () => writeFileSync(file, 'Today I bought a dog.\n'.repeat(200))],
    ['is truncated', () => change((bytes) => bytes.subarray(0, bytes.length / 2))],
    ['has a page of something else', () => change((bytes) => bytes.fill(0xa5, PAGE * 3, PAGE * 5))],
    [
      // Of a large one, a start reads only what it needs.
      'is large, and a page of it is of something else',
      () => {
        const db = new Database(file);
        db.exec(`CREATE TABLE filler (a TEXT);
          WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
          INSERT INTO filler SELECT hex(zeroblob(1000)) FROM n`);
        const page = db
          .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'webhooks'")
          .pluck()
          .get() as number;
        db.close();
        change((bytes) => bytes.fill(0xa5, PAGE * (page - 1), PAGE * page));
      },
    ],
  ];

  it.each(damages)('that %s: start, doctor and backup say how to restore', async (_, damage) => {
    migrateSqlite(file);
    damage();
    expect((await expectRefused()).endsWith(RESTORE)).toBe(true);
    const environment = { PETSTORE_DATA_DIR: folder };
    const examined = await petstore(['server', 'doctor'], environment);
    expect([examined.exitCode, examined.stderr]).toEqual([1, '']);
    const failed = examined.stdout.split(/(?<=\n)/).find((line) => line.includes(' folder with '));
    expect(failed).toMatch(/^failed {3}/);
    expect(failed!.endsWith(RESTORE)).toBe(true);
    const args = ['server', 'backup', '--to', join(folder, 'copy.db')];
    const copied = await petstore(args, environment);
    expect([copied.exitCode, copied.stdout]).toEqual([1, '']);
    expect(copied.stderr).toMatch(/^(petstore: copying the database …\n)?petstore: [^\n]+\n$/);
    expect(copied.stderr.endsWith(RESTORE), copied.stderr).toBe(true);
  });
});
