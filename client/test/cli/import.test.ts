import { utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { freePort } from '../../../server/test/support/free-port.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore, startPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();
let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  const base = { PETSTORE_BASE_URL: `${app.address}/v1` };
  env = { ...base, PETSTORE_API_KEY: app.key };
});

function write(name: string, text: string | Buffer): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

async function run(file: string, ...more: string[]) {
  const { code, stdout, stderr } = await runPetstore(['pets', 'import', file, '--json', ...more], {
    env,
  });
  return { code, stderr, report: stdout === '' ? undefined : JSON.parse(stdout) };
}

async function petsNamed(name: string): Promise<{ name: string; categoryId: number }[]> {
  return (await app.call('GET', `/v1/pets?name=${name}&limit=100`)).body;
}

it('tries a file without keeping anything, then creates its pets and categories', async () => {
  const file = write(
    'pets.csv',
    'name,category,status\nAda,Otters,\n"Alf, the 2nd",otters,pending\n',
  );
  expect(await run(file, '--dry-run')).toMatchObject({
    code: 0,
    report: { created: 2, refused: [] },
  });
  expect(await petsNamed('A')).toEqual([]);
  expect((await app.call('GET', '/v1/categories?name=otters')).body).toEqual([]);
  expect(await run(file)).toMatchObject({ code: 0, report: { created: 2, refused: [] } });
  const [ada, alf] = await petsNamed('A');
  expect([ada, alf]).toMatchObject([{ name: 'Ada' }, { name: 'Alf, the 2nd', status: 'pending' }]);
  expect(ada!.categoryId).toBe(alf!.categoryId);
});

it.each([
  ['comma', 'name,category\nBo,Newts\n'],
  ['semicolon', 'name;category\r\nBo;Newts\r\n'],
  ['tab', '\uFEFFname\tcategory\nBo\tNewts\n'],
])('reads cells that are separated by a %s', async (separator, text) => {
  const { report } = await run(write(`${separator}.csv`, text), '--dry-run');
  expect(report).toMatchObject({ created: 1, refused: [] });
});

it('says of every refused row where it is and why, and creates the others', async () => {
  const rows = [
    '{"name":"Cleo","category":"Cats"}',
    '{"name":"","category":"Cats"}',
    'no json',
    '{"name":"x","categoryId":77}',
    '{"name":"x","category":"a\\nb"}',
  ];
  const { code, report } = await run(write('pets.ndjson', rows.join('\n')));
  expect(code).toBe(1);
  expect(report.created).toBe(1);
  expect(report.refused).toMatchObject([
    { line: 2, field: 'name' },
    { line: 3, field: '', message: 'is not a JSON object' },
    { line: 4, field: 'categoryId' },
    { line: 5, field: 'category' },
  ]);
  expect(await petsNamed('Cleo')).toHaveLength(1);
});

it('reads a file of JSON objects whatever its name', async () => {
  const file = write('pets.txt', '\uFEFF {"name":"Hugo","category":"Cats"}\n');
  expect(await run(file)).toMatchObject({ code: 0, report: { created: 1, refused: [] } });
});

it('prints the refused rows as rows, and the outcome to standard error', async () => {
  const input = 'name,category\n,Cats\nDora,Cats\n';
  const { code, stdout, stderr } = await runPetstore(['pets', 'import', '-'], { env, input });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^2\tname\t.+\n$/);
  expect(stderr).toContain('petstore: 1 pet created\n');
});

it('the same file again creates nothing twice; a changed file is another import', async () => {
  const file = write('again.csv', 'name,category\nEdda,Cats\n');
  expect((await run(file)).report).toMatchObject({ created: 1, repeated: 0 });
  expect((await run(file)).report).toMatchObject({ created: 1, repeated: 1 });
  expect(await petsNamed('Edda')).toHaveLength(1);
  utimesSync(file, 1, 1);
  expect((await run(file)).report).toMatchObject({ created: 1, repeated: 0 });
  expect(await petsNamed('Edda')).toHaveLength(2);
});

it('the same file again tries the rows that were refused, and creates none of them twice', async () => {
  const category = (await app.call('POST', '/v1/categories', { body: { name: 'Owls' } })).body;
  const taken = { name: 'Old', categoryId: category.id, reference: 'O-1' };
  const { body: old } = await app.call('POST', '/v1/pets', { body: taken });
  const file = write('owls.csv', 'name,category,reference\nOda,Owls,O-1\nOle,Owls,\n');
  const first = await run(file);
  expect(first.report).toMatchObject({ created: 1, repeated: 0, refused: [{ line: 2 }] });
  expect((await run(file)).report).toMatchObject({ created: 1, repeated: 1, refused: [{}] });
  await app.call('DELETE', `/v1/pets/${old.id}`);
  expect((await run(file)).report).toMatchObject({ created: 2, repeated: 1, refused: [] });
  expect((await run(file)).report).toMatchObject({ created: 2, repeated: 2, refused: [] });
  const names = [...(await petsNamed('Od')), ...(await petsNamed('Ol'))].map(({ name }) => name);
  expect(names).toEqual(['Oda', 'Ole']);
});

it('--update changes the pets that have the reference of their row, and creates the others', async () => {
  const file = write('first.csv', 'name,category,reference\nGus,Cats,G-1\nGia,Cats,G-2\n');
  expect((await run(file, '--update')).report).toMatchObject({ created: 2, updated: 0 });
  const ids = (await petsNamed('G')).map((pet) => (pet as { id?: number }).id);
  const next = write('next.csv', 'name,category,reference\nGustav,Cats,G-1\nGil,Cats,G-3\n');
  const refused = await run(next);
  expect([refused.code, refused.report.created]).toEqual([1, 1]);
  expect(refused.report.refused).toMatchObject([{ line: 2, field: 'reference' }]);
  const tried = await run(next, '--update', '--dry-run');
  expect(tried.report).toMatchObject({ created: 0, updated: 2, refused: [] });
  const { code, stderr, report } = await run(next, '--update');
  expect([code, report]).toMatchObject([0, { created: 0, updated: 2, repeated: 0, refused: [] }]);
  expect(stderr).toContain('0 pets created, 2 updated');
  expect((await run(next, '--update')).report).toMatchObject({ updated: 2, repeated: 2 });
  const pets = await petsNamed('G');
  expect(pets.map(({ name }) => name)).toEqual(['Gustav', 'Gia', 'Gil']);
  expect(pets.slice(0, 2).map((pet) => (pet as { id?: number }).id)).toEqual(ids);
});

it('an interrupted import says where to continue, and continues there', async () => {
  const names = Array.from({ length: 2_500 }, (_, at) => `Fay${at},Cats`);
  const file = write('long.csv', `name,category\n${names.join('\n')}\n`);
  const key = await app.addKey(['read', 'write']);
  const running = startPetstore(['pets', 'import', file, '--json', '--verbose'], {
    env: { ...env, PETSTORE_API_KEY: key },
  });
  await expect.poll(() => running.output.stderr).toContain('POST /pets/batch');
  running.interrupt();
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(130);
  const report = JSON.parse(stdout);
  expect([1_001, 2_001]).toContain(report.stoppedAfterLine);
  expect(stderr).toContain(`--from-line ${report.stoppedAfterLine + 1}`);
  const rest = await run(file, '--from-line', String(report.stoppedAfterLine + 1));
  expect(rest.report.created).toBe(2_501 - report.stoppedAfterLine);
});

type AnswerBatch = (pets: unknown[], res: ServerResponse, batch: number) => void;

/** Imports into a service that answers every batch as `answer` does; batches count from 1. */
async function startWith(answer: AnswerBatch, args: string[]) {
  let batches = 0;
  const url = await fakeService(async (req, res) => {
    const { pets } = (await json(req)) as { pets: unknown[] };
    batches += 1;
    answer(pets, res, batches);
  });
  const base = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: url };
  return startPetstore(['pets', 'import', '--json', ...args], { env: base });
}

it('sends no more than one request takes, however long the names are', async () => {
  const rows = Array.from({ length: 1_500 }, (_, n) => `${'ü'.repeat(190)}${n},Longs,L-${n}`);
  const file = write('long.csv', `name,category,reference\n${rows.join('\n')}\n`);
  expect(await run(file)).toMatchObject({ code: 0, report: { created: 1_500, refused: [] } });
});

it('an import that takes longer than 2 s says how far it is, and with -q nothing', async () => {
  const rows = Array.from({ length: 2_500 }, (_, at) => `Kim${at},1`);
  const file = write('slow.csv', `name,categoryId\n${rows.join('\n')}\n`);
  const { now } = Date;
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const progressOf = async (...more: string[]) => {
    const running = await startWith(
      (pets, res, batch) => {
        // The first batch is answered within 2 s.
        if (batch === 2) vi.spyOn(Date, 'now').mockImplementation(() => now() + 2_001);
        const results = pets.map(() => ({}));
        res.end(JSON.stringify({ created: pets.length, updated: 0, results }));
      },
      [file, ...more],
    );
    const { stderr } = await running.ended;
    vi.restoreAllMocks();
    return stderr.match(/^petstore: \d+ of .*$/gm);
  };
  const shown = ['petstore: 2000 of 2500 rows', 'petstore: 2500 of 2500 rows'];
  expect(await progressOf()).toEqual(shown);
  expect(await progressOf('-q')).toBeNull();
});

it('passes over a hundred earlier imports of a file that refused a row, and then ends', async () => {
  const sent: unknown[] = [];
  const errors = [{ field: 'name', message: 'is taken' }];
  const running = await startWith(
    (pets, res) => {
      sent.push(pets);
      res.setHeader('Idempotency-Replayed', 'true');
      res.end(JSON.stringify({ created: 0, updated: 0, results: [{ errors }] }));
    },
    [write('again.csv', 'name,categoryId\nRefused,1\n')],
  );
  const { code, stdout } = await running.ended;
  expect(code).toBe(1);
  expect(JSON.parse(stdout).refused).toEqual([{ line: 2, ...errors[0] }]);
  expect(sent).toHaveLength(101);
});

describe('of an import that ends in the middle, the lines that were sent and not answered', () => {
  const rows = Array.from({ length: 1_500 }, (_, at) => `Ivo${at},1`);
  const file = () => write('middle.csv', `name,categoryId\n${rows.join('\n')}\n`);
  const unanswered = Array.from({ length: 500 }, (_, at) => 1_002 + at);
  const named =
    'petstore: the 500 rows of lines 1002 to 1501 were sent and not answered; whether they were imported is unknown\n';

  /** Imports into a service that answers the first batch, and leaves the others to `second`. */
  const start = (second: (res: ServerResponse) => void, file: string, ...more: string[]) =>
    startWith(
      (pets, res, batch) => {
        if (batch > 1) return second(res);
        const results = pets.map(() => ({}));
        res.end(JSON.stringify({ created: pets.length, updated: 0, results }));
      },
      [file, '--no-retry', ...more],
    );

  it('are named after an interruption', async () => {
    let reached = false;
    const running = await start(() => {
      reached = true;
    }, file());
    await expect.poll(() => reached).toBe(true);
    running.interrupt();
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({
      created: 1_000,
      stoppedAfterLine: 1_001,
      unanswered,
    });
    expect(stderr).toContain(named);
  });

  it.each([
    ['a lost connection', (res: ServerResponse) => void res.socket!.destroy()],
    ['half of a response', (res: ServerResponse) => void res.write('{', () => res.destroy())],
    ['the page of a proxy', (res: ServerResponse) => void res.writeHead(502).end('<html>')],
    [
      'an outcome that the service does not know',
      (res: ServerResponse) => {
        const body = { code: 'unavailable', message: 'No.', details: { outcome: 'unknown' } };
        res.writeHead(503).end(JSON.stringify(body));
      },
    ],
  ])('are named after %s, also with --quiet', async (_, second) => {
    const { code, stdout, stderr } = await (await start(second, file(), '--quiet')).ended;
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ created: 1_000, unanswered });
    expect(stderr).toContain(named);
  });

  it('are named where there is one', async () => {
    const one = write('one.csv', `name,categoryId\n${rows.slice(0, 1_001).join('\n')}\n`);
    const { stderr } = await (await start((res) => void res.socket!.destroy(), one)).ended;
    expect(stderr).toContain('petstore: line 1002 was sent and not answered;');
  });

  it.each([
    ['a refusal', 1, (res: ServerResponse) => void res.writeHead(409).end('{"code":"x"}')],
    [
      'a service in trouble',
      6,
      (res: ServerResponse) => void res.writeHead(503).end('{"code":"x"}'),
    ],
  ])('are none after %s', async (_, exitCode, second) => {
    const { code, stdout, stderr } = await (await start(second, file())).ended;
    expect(code).toBe(exitCode);
    expect(JSON.parse(stdout)).not.toHaveProperty('unanswered');
    expect(stderr).not.toContain('not answered');
  });

  it('are none where no service was reached, and in a dry run', async () => {
    const base = `http://127.0.0.1:${await freePort()}`;
    const nowhere = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: base };
    const lost = await runPetstore(['pets', 'import', file(), '--no-retry'], { env: nowhere });
    expect(lost.code).toBe(6);
    const second = (res: ServerResponse) => void res.socket!.destroy();
    const tried = await (await start(second, file(), '--dry-run')).ended;
    expect(tried.code).toBe(6);
    expect(lost.stderr + tried.stderr).not.toContain('not answered');
  });
});

it.each([
  ['missing.csv', undefined, 'cannot be read: no such file or directory'],
  ['.', undefined, 'cannot be read: illegal operation on a directory'],
  ['columns.csv', 'name,colour\nRex,red\n', 'line 1 must name the columns'],
  ['latin1.csv', Buffer.from('name,category\nK\xe4the,Cats\n', 'latin1'), 'is not UTF-8'],
  ['empty.csv', 'name,category\n', 'has no rows'],
  ['list.json', '[{"name":"Rex"}]', 'is a JSON document; CSV is expected'],
  ['cut.json', '\uFEFF[\n  {"name":"Rex"', 'is a JSON document; CSV is expected'],
  ['pretty.json', '{\n  "name": "Rex"\n}\n', 'is a JSON document; CSV is expected'],
])('refuses %s, and sends nothing', async (name, text, message) => {
  const file = text === undefined ? join(folder.path, name) : write(name, text);
  const { code, stdout, stderr } = await runPetstore(['pets', 'import', file], { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
});
