import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('petstore import', () => {
  const folder = temporaryFolder();
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ engine: 'sqlite' });
  });

  it('tries a file without keeping anything, then creates its pets beside the running service', async () => {
    const file = write(
      'pets.csv',
      'name,category,status\nRex,Dogs,\n"Bello, the 2nd",dogs,pending\n',
    );
    expect(run(file, '--dry-run')).toMatchObject({
      status: 0,
      report: { created: 2, refused: [] },
    });
    expect((await app.call('GET', '/v1/pets')).body).toEqual([]);
    expect(run(file)).toMatchObject({ status: 0, report: { created: 2 } });
    expect((await app.call('GET', '/v1/pets')).body).toMatchObject([
      { name: 'Rex', categoryId: 1, status: 'available' },
      { name: 'Bello, the 2nd', categoryId: 1, status: 'pending' },
    ]);
  });

  it('says of every refused row where it is and why, and creates the others', async () => {
    const rows = [
      '{"name":"Ok","category":"Cats"}',
      '{"name":""}',
      'no json',
      '{"name":"x","categoryId":77}',
    ];
    const { status, report } = run(write('pets.ndjson', rows.join('\n')));
    expect(status).toBe(1);
    expect(report.created).toBe(1);
    const lines = new Set(report.refused.map(({ line }: { line: number }) => line));
    expect(lines).toEqual(new Set([2, 3, 4]));
    expect(report.refused).toContainEqual({ line: 3, field: '', message: 'is not valid JSON' });
    expect((await app.call('GET', '/v1/pets?name=ok')).body).toHaveLength(1);
  });

  it('refuses categories whose names the API would refuse', async () => {
    const names = ['Big\nDogs', 'x'.repeat(5_000), '\0', 7];
    const rows = names.map((category) => JSON.stringify({ name: 'Rex', category }));
    const before = (await app.call('GET', '/v1/categories')).body;
    const { status, report } = run(write('categories.ndjson', rows.join('\n')));
    expect(status).toBe(1);
    const message = expect.stringMatching(/^must /);
    expect(report).toEqual({
      created: 0,
      refused: names.map((_, at) => ({ line: at + 1, field: 'category', message })),
    });
    expect((await app.call('GET', '/v1/categories')).body).toEqual(before);
  });

  it.each([
    ['latin1.csv', 'name,category\nK\xe4the,Dogs\nRex,Dogs\n', { line: 2, field: 'name' }],
    [
      'latin1.ndjson',
      '{"name":"K\xe4the","category":"Dogs"}\n{"name":"Rex","category":"Dogs"}',
      { line: 1, field: '' },
    ],
  ])(
    'refuses rows of %s that are not UTF-8 instead of replacing their characters',
    (name, text, fault) => {
      const file = write(name, Buffer.from(text, 'latin1'));
      const { status, report } = run(file, '--dry-run');
      expect(status).toBe(1);
      expect(report).toEqual({ created: 1, refused: [{ ...fault, message: 'is not UTF-8' }] });
    },
  );

  it.each([
    ['marked.csv', '\uFEFFname,category\nRex,Dogs\n'],
    ['marked.ndjson', '\uFEFF{"name":"Rex","category":"Dogs"}\n'],
  ])('ignores the byte order mark of %s', (name, text) => {
    const { status, report } = run(write(name, text), '--dry-run');
    expect({ status, report }).toEqual({ status: 0, report: { created: 1, refused: [] } });
  });

  it('says what was imported when it fails in the middle of a file', async () => {
    const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`);
    db.exec(`CREATE TRIGGER broken BEFORE INSERT ON pets WHEN NEW.name = 'broken'
      BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    const names = Array.from({ length: 1_500 }, (_, at) => (at === 1_200 ? 'broken' : 'Max'));
    const rows = names.map((name) => JSON.stringify({ name, category: 'Dogs' }));
    const { status, report } = run(write('half.ndjson', rows.join('\n')));
    db.exec('DROP TRIGGER broken');
    db.close();
    expect(status).toBe(1);
    expect(report).toEqual({ created: 1_000, refused: [], stoppedAfterLine: 1_000 });
    const kept = await app.call('GET', '/v1/pets?name=max&limit=1');
    expect(kept.body).toHaveLength(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'on %s it finishes its batch and says after which line to go on',
    async (signal, code) => {
      const name = `Stopped by ${signal}`;
      const rows = Array.from({ length: 100_000 }, () =>
        JSON.stringify({ name, category: 'Dogs' }),
      );
      const child = spawn(process.execPath, argumentsOf(write('long.ndjson', rows.join('\n'))), {
        env: env(),
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const closed = once(child, 'close');
      child.stderr.once('data', () => child.kill(signal));
      child.stderr.resume();
      const stdout = await text(child.stdout);
      expect((await closed)[0]).toBe(code);
      const [, created] = /^(\d+) pets created, 0 faults\nstopped after line \1\n$/.exec(stdout)!;
      expect(Number(created) % 1_000).toBe(0);
      expect(Number(created)).toBeLessThan(100_000);
      const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`, { readonly: true });
      const kept = db.prepare('SELECT count(*) FROM pets WHERE name = ?').pluck().get(name);
      db.close();
      expect(kept).toBe(Number(created));
    },
  );

  it('reports a refused category beside the other faults of its row, and takes an empty one for none', () => {
    const rows = [
      '{"name":"","category":7}',
      '{"name":"Rex","category":" "}',
      '{"name":"Rex","category":" Dogs "}',
    ];
    const { report } = run(write('faults.ndjson', rows.join('\n')), '--dry-run');
    expect(report.created).toBe(1);
    expect(report.refused).toMatchObject([
      { line: 1, field: 'name' },
      { line: 1, field: 'category' },
      { line: 2, field: 'categoryId' },
    ]);
  });

  it('splits NDJSON on line feeds alone, wherever the chunks of the file end', async () => {
    const names = ['Line\u2028one', 'Line\u2029two'];
    const rows = names.map((name) => JSON.stringify({ name, category: 'Birds' }));
    const many = Array.from({ length: 3_000 }, () => '{"name":"Ärger","category":"Vögel"}');
    const { status, report } = run(write('separators.ndjson', [...rows, ...many].join('\r\n')));
    expect({ status, report }).toEqual({ status: 0, report: { created: 3_002, refused: [] } });
    const found = await app.call('GET', '/v1/pets?name=line');
    expect(found.body.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it.each(['folder.csv', 'folder.ndjson'])('says in one line that %s cannot be read', (name) => {
    mkdirSync(join(folder.path, name));
    const { status, stdout, stderr } = start(join(folder.path, name));
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^petstore: EISDIR[^\n]+\n$/);
  });

  it('creates the rows before a line that is no CSV, and says where it is', async () => {
    const { status, report } = run(write('broken.csv', 'name,category\nFirst,Birds\nx,"y\n'));
    expect(status).toBe(1);
    expect(report.created).toBe(1);
    expect(report.refused).toHaveLength(1);
    expect(report.refused[0]).toMatchObject({
      message: expect.stringMatching(/^is not valid CSV/),
    });
  });

  it('writes its progress as lines if standard error is no terminal', () => {
    const rows = Array.from({ length: 2_500 }, () => '{"name":"Max","category":"Dogs"}');
    const { stderr } = start(write('progress.ndjson', rows.join('\n')), '--dry-run');
    expect(stderr).toMatch(/^( *\d+ % {2}\d+ pets\n)+$/);
    expect(stderr).toMatch(/^100 %/m);
  });

  it('reads the examples of docs/running.md', () => {
    const docs = readFileSync('docs/running.md', 'utf8');
    const chapter = docs.split('### Importing pets')[1]!.split('\n## ')[0]!;
    const [csv, ndjson] = [...chapter.matchAll(/```\n([^`]+)```/g)].map(([, text]) => text!);
    for (const file of [write('example.csv', csv!), write('example.ndjson', ndjson!)]) {
      const outcome = run(file, '--dry-run');
      expect(outcome).toEqual({ status: 0, report: { created: 2, refused: [] } });
    }
  });

  it('counts one pet as one', () => {
    const one = write('one.ndjson', '{"name":"Solo","category":"Cats"}\n');
    expect(start(one, '--dry-run').stdout).toBe(
      '1 pet would be created; nothing was kept, 0 faults\n',
    );
    const broken = write('broken.ndjson', '{"name":"Solo","category":"Cats"}\n{');
    expect(start(broken).stdout).toBe('line 2: is not valid JSON\n1 pet created, 1 fault\n');
  });

  it('refuses a file that is not there or of another kind', () => {
    expect(run(join(folder.path, 'none.csv')).status).toBe(2);
    expect(run(write('pets.txt', 'x')).status).toBe(2);
  });

  function write(name: string, text: string | Buffer): string {
    const file = join(folder.path, name);
    writeFileSync(file, text);
    return file;
  }

  function run(file: string, ...more: string[]) {
    const { status, stdout } = start(file, '--json', ...more);
    return { status, report: stdout ? JSON.parse(stdout) : undefined };
  }

  function start(file: string, ...more: string[]) {
    const args = argumentsOf(file, ...more);
    return spawnSync(process.execPath, args, { env: env(), encoding: 'utf8' });
  }

  function argumentsOf(file: string, ...more: string[]): string[] {
    return ['server/bin/petstore.js', 'import', file, ...more];
  }

  function env() {
    return { PATH: process.env.PATH, PETSTORE_DATA_DIR: app.config.PETSTORE_DATA_DIR };
  }
});
