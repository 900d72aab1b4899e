import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { ConflictError, Petstore } from '../../src/petstore.ts';
import { fakeService } from '../support/fake-service.ts';
import { runPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();
let app: TestApp;
let store: Petstore;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  store = new Petstore({ apiKey: app.key, baseUrl: `${app.address}/v1` });
  const { id: categoryId } = await store.categories.create({ name: 'Dogs' });
  await store.pets.createMany({
    pets: Array.from({ length: 4 }, (_, at) => ({ name: `Dog ${at + 1}`, categoryId })),
  });
});

function petstore(args: string[], input = '') {
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  return runPetstore(args, { env, input });
}

function fileOf(text: string): string {
  const path = `${folder.path}/counts.csv`;
  writeFileSync(path, text);
  return path;
}

async function quantities(): Promise<number[]> {
  return (await store.inventory.list()).items.map(({ quantity }) => quantity);
}

describe('batches of the client', () => {
  it('count stock and place a cart', async () => {
    const taken = await store.inventory.setMany({
      items: [
        { petId: 1, quantity: 5 },
        { petId: 2, delta: 2, reason: 'delivery' },
      ],
    });
    expect(taken).toMatchObject({ changed: 2, unchanged: 0, refused: 0 });
    expect(taken.results[1]!.movement).toMatchObject({ petId: 2, quantityAfter: 3 });
    const cart = [{ petId: 1 }, { petId: 2, quantity: 3 }];
    const { placed, results } = await store.orders.placeMany({ orders: cart });
    expect(placed).toBe(2);
    expect(results.map(({ order }) => order!.petId)).toEqual([1, 2]);
    const again = await store.orders.placeMany({ orders: cart }).catch((err: unknown) => err);
    expect(again).toBeInstanceOf(ConflictError);
    expect((again as ConflictError).details).toEqual({ index: 1, petId: 2, available: 0 });
  });
});

describe('petstore stock take, mode all', () => {
  it('names the line of each refused row', async () => {
    const file = fileOf('petId,quantity\n1,3\n99999,5\n\n88888,5\n');
    const { code, stderr } = await petstore(['stock', 'take', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^petstore: line 3: petId names no pet of this workspace\npetstore: line 5: petId names no pet of this workspace\n/,
    );
  });

  it('names the line of a row that does not fit', async () => {
    const file = fileOf('petId,delta,reason\n\n1,1,x\n2,-999,x\n');
    const { code, stderr } = await petstore(['stock', 'take', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^petstore: line 4: /);
  });
});

describe('petstore orders place-many', () => {
  it('takes a cart as JSON', async () => {
    const cart = JSON.stringify({ orders: [{ petId: 3 }, { petId: 3 }], mode: 'each' });
    const answer = await petstore(['orders', 'place-many', '--data', '-', '--json'], cart);
    expect(answer.code, answer.stderr).toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({ placed: 1, refused: 1 });
    const flags = ['--orders', '[{"petId":4}]', '--mode', 'all', '--dry-run', '--json'];
    const dry = await petstore(['orders', 'place-many', ...flags]);
    expect(JSON.parse(dry.stdout)).toEqual({ placed: 1, refused: 0, results: [{}] });
  });
});

describe('petstore stock take', () => {
  it('sets the stock to the counts of a file, and shows each row', async () => {
    const before = await quantities();
    const text = '\uFEFFpetId,quantity,reason\r\n1,7,"stock-take, ""shop"""\r\n\r\n4,1,\r\n';
    const dry = await petstore(['stock', 'take', fileOf(text), '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, `2\t1\t${before[0]}\t7\t\n4\t4\t\t\t\n`]);
    expect(dry.stderr).toMatch(/^petstore: 1 changed, .*; nothing was kept\n$/);
    expect(await quantities()).toEqual(before);
    const taken = await petstore(['stock', 'take', fileOf(text)]);
    expect([taken.code, taken.stdout]).toEqual([0, dry.stdout]);
    expect(taken.stderr).toBe('petstore: 1 changed, 1 unchanged, 0 refused\n');
    expect((await quantities())[0]).toBe(7);
    const rows = await store.inventory.movements(1, { sort: '-id', limit: 1 });
    expect(rows.items[0]).toMatchObject({ cause: 'set', reason: 'stock-take, "shop"' });
  });

  it('changes nothing if a row is refused, or all other rows in mode each', async () => {
    const before = await quantities();
    const text = 'petId,quantity,delta\n1,,2\n2,0,\n999999,4,\n';
    const flags = ['--reason', 'counted'];
    const refused = await petstore(['stock', 'take', fileOf(text), ...flags]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('items.2.petId');
    expect(await quantities()).toEqual(before);
    const each = await petstore(
      ['stock', 'take', '-', ...flags, '--mode', 'each', '-o', 'csv'],
      text,
    );
    expect(each.code).toBe(1);
    const lines = each.stdout.trim().split('\n');
    expect(lines.slice(0, 2)).toEqual(['line,petId,before,after,error', '2,1,7,9,']);
    expect(lines[2]).toMatch(/^3,2,,,"?Pet 2 has 3 units in open orders/);
    expect(lines[3]).toMatch(/^4,999999,,,petId names no pet/);
    expect(each.stderr).toContain('1 changed, 0 unchanged, 2 refused');
  });

  it.each([
    ['', 'the file is empty'],
    ['petId,colour\n1,2\n', 'it has "colour"'],
    ['petId,quantity,quantity\n1,5,6\n', 'line 1 names the column quantity twice'],
    ['petId,quantity\n', 'has no rows'],
    ['petId,quantity\n1\n', 'line 2 has 1 cells, not 2'],
    ['petId,quantity\n1,5\n1,many\n', 'line 3: quantity must be an integer'],
    ['petId,quantity\n1,"5\n', 'line 2 is not valid CSV'],
    ['petId,quantity\n1,5\n2,5\n01,6\n', 'line 4: pet 1 is also on line 2'],
    [`petId,quantity\n${'1,1\n'.repeat(1_001)}`, 'pass --mode each for more'],
  ])('refuses a file that it cannot read: %j', async (text, message) => {
    const answer = await petstore(['stock', 'take', fileOf(text)]);
    expect([answer.code, answer.stdout]).toEqual([2, '']);
    expect(answer.stderr).toContain(message);
  });

  it('changes nothing if a row after the first thousand cannot be read', async () => {
    const before = await quantities();
    const unknown = Array.from({ length: 999 }, (_, at) => `${900_000 + at},1\n`).join('');
    const text = `petId,quantity\n4,55\n${unknown}1,many\n`;
    const answer = await petstore(['stock', 'take', fileOf(text), '--mode', 'each']);
    expect([answer.code, answer.stdout]).toEqual([2, '']);
    expect(answer.stderr).toContain('line 1002: quantity must be an integer');
    expect(await quantities()).toEqual(before);
  });

  it('changes nothing if a pet is in two parts of a file', async () => {
    const before = await quantities();
    const unknown = Array.from({ length: 1_000 }, (_, at) => `${900_000 + at},1\n`).join('');
    const text = `petId,quantity\n4,55\n${unknown}4,56\n`;
    const answer = await petstore(['stock', 'take', fileOf(text), '--mode', 'each']);
    expect([answer.code, answer.stdout]).toEqual([2, '']);
    expect(answer.stderr).toBe('petstore: line 1003: pet 4 is also on line 2\n');
    expect(await quantities()).toEqual(before);
  });

  it('sends no more than one request takes, however long the reasons are', async () => {
    const why = 'ü'.repeat(150);
    const rows = Array.from({ length: 1_000 }, (_, at) => `${900_000 + at},1,${why}\n`).join('');
    const file = fileOf(`petId,quantity,reason\n${rows}`);
    const all = await petstore(['stock', 'take', file]);
    expect([all.code, all.stderr]).toEqual([2, expect.stringContaining('pass --mode each')]);
    const each = await petstore(['stock', 'take', file, '--mode', 'each', '--json']);
    expect(JSON.parse(each.stdout)).toMatchObject({ changed: 0, refused: 1_000 });
  });

  it('prints the rows of the parts that were sent before one failed', async () => {
    const rows = Array.from({ length: 1_001 }, (_, at) => `${at + 1},1,found\n`).join('');
    const text = `petId,delta,reason\n${rows}`;
    const replies = [
      { changed: 1, unchanged: 0, refused: 999, results: [{}, ...Array(999).fill({})] },
    ];
    const url = await fakeService((_, res) => {
      const reply = replies.shift();
      res.writeHead(reply ? 200 : 400, { 'content-type': 'application/json' });
      res.end(JSON.stringify(reply ?? { code: 'invalid_request', message: 'No.', status: 400 }));
    });
    const answer = await runPetstore(['stock', 'take', fileOf(text), '--mode', 'each', '--json'], {
      env: { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: url },
    });
    expect(answer.code).not.toBe(0);
    expect(JSON.parse(answer.stdout)).toMatchObject({ changed: 1, refused: 999 });
    expect(answer.stderr).toContain('No.');
  });

  it('invents no answer of the service for rows that were refused', async () => {
    const file = fileOf('petId,quantity\n999999,4\n');
    const refused = await petstore(['stock', 'take', file, '--mode', 'each', '--json']);
    expect(refused.code).toBe(1);
    const [{ error }] = JSON.parse(refused.stdout).results;
    expect(error).toMatchObject({ code: 'invalid_request' });
    const last = refused.stderr.trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last)).toEqual({ code: 'rows_refused', message: 'A row was refused.' });
  });

  it('says what it takes', async () => {
    const help = await petstore(['stock', 'take', '--help']);
    expect(help.stdout).toContain('stock take FILE|-');
    expect((await petstore(['stock', 'take'])).code).toBe(2);
    const missing = await petstore(['stock', 'take', '/nowhere.csv']);
    expect(missing.stderr).toContain('cannot be read: no such file or directory');
    const wrong = await petstore(['stock', 'take', fileOf('petId\n'), '--mode', 'some']);
    expect([wrong.code, wrong.stderr]).toEqual([2, 'petstore: --mode must be one of all, each\n']);
  });
});
