// What a shop does all day: orders of several pets, what is due, and what to take from the shelves.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { dueQuery } from '../../src/cli/operation/operation-request.ts';
import { runPetstore } from '../support/run-petstore.ts';

const DAY_MS = 86_400_000;
let app: TestApp;
let env: Record<string, string>;
let rex: number;
let mia: number;

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

beforeEach(async () => {
  rex = await newPet('Rex', 5);
  mia = await newPet('Mia', 2);
  return async () => {
    const { body } = await app.call('GET', '/v1/store/orders?complete=false&limit=100');
    for (const { id } of body) await app.call('DELETE', `/v1/store/orders/${id}`);
    for (const id of [rex, mia])
      await app.call('PATCH', `/v1/inventory/${id}`, { body: { quantity: 0 } });
    for (const id of [rex, mia]) await app.call('DELETE', `/v1/pets/${id}`);
  };
});

async function newPet(name: string, quantity: number): Promise<number> {
  const { body } = await app.call('POST', '/v1/pets', { body: { name, categoryId: 1 } });
  await app.call('PATCH', `/v1/inventory/${body.id}`, { body: { quantity } });
  return body.id;
}

const petstore = (...args: string[]) => runPetstore(args, { env });
const openOrders = async () =>
  (await app.call('GET', '/v1/store/orders?complete=false&limit=100')).body;

describe('orders place', () => {
  it('takes a pet by its name, whatever the case of its letters', async () => {
    const { code, stderr } = await petstore('orders', 'place', '--pet', 'rEX', '--quantity', '2');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^Order \d+ placed; 2 units reserved\.\n$/),
    ]);
    expect(await openOrders()).toMatchObject([{ petId: rex, quantity: 2 }]);
  });

  it('places the orders of several lines together, with what they share', async () => {
    const shared = ['--ship-date', '2030-01-02T00:00:00Z', '--expires-in', '1h'];
    const place = [
      'orders',
      'place',
      '--pet-id',
      String(rex),
      '--quantity',
      '3',
      '--line',
      'Mia=2',
    ];
    const { code, stdout, stderr } = await petstore(
      ...place,
      ...shared,
      '--fields',
      'petId,quantity',
    );
    expect([code, stdout, stderr]).toEqual([
      0,
      `${rex}\t3\n${mia}\t2\n`,
      '2 orders placed; 5 units reserved.\n',
    ]);
    const orders = await openOrders();
    expect(orders).toHaveLength(2);
    for (const order of orders) {
      expect(Date.parse(order.shipDate)).toBe(Date.UTC(2030, 0, 2));
      expect(order.expiresAt).toBeDefined();
    }
  });

  it('places none of them if one does not fit, and names it', async () => {
    const { code, stderr } = await petstore(
      'orders',
      'place',
      '--line',
      'Rex=1',
      '--line',
      'Mia=3',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('no order is placed, because of 3 of Mia');
    expect(stderr).toContain('insufficient_stock');
    expect(await openOrders()).toEqual([]);
  });

  it('of several lines is done once under one Idempotency-Key, and not at all in a dry run', async () => {
    const place = ['orders', 'place', '--line', 'Rex=1', '--line', 'Mia=1'];
    const dry = await petstore(...place, '--dry-run');
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining('nothing was changed')]);
    expect(await openOrders()).toEqual([]);
    for (let n = 0; n < 2; n++) await petstore(...place, '--idempotency-key', `cart-${rex}`);
    expect(await openOrders()).toHaveLength(2);
  });

  it.each([
    [['--line', 'Rex'], 'it is PET=QUANTITY'],
    [['--line', 'Rex=0'], 'must be an integer above 0'],
    [['--line', 'Rex=1', '--quantity', '2'], '--quantity is that of --pet'],
    [['--pet', 'Rex', '--pet-id', '1'], 'not both'],
    [['--pet', 'Zorro'], 'no pet has the'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await petstore('orders', 'place', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await openOrders()).toEqual([]);
  });

  it('refuses a name that two pets have, and lists their ids', async () => {
    const other = await newPet('REX', 1);
    const { code, stderr } = await petstore('orders', 'place', '--pet', 'Rex');
    expect(code).toBe(2);
    expect(stderr).toContain(`give the id, one of ${rex}, ${other}`);
    await app.call('PATCH', `/v1/inventory/${other}`, { body: { quantity: 0 } });
    await app.call('DELETE', `/v1/pets/${other}`);
  });
});

describe('--due', () => {
  it('is a day of the calendar here, of 23 to 25 hours', () => {
    const now = new Date(2026, 9, 25, 15, 30);
    const today = dueQuery('today', now) as { shipDateFrom: string; shipDateTo: string };
    expect(new Date(today.shipDateFrom).getTime()).toBe(new Date(2026, 9, 25).getTime());
    expect(new Date(today.shipDateTo).getTime()).toBe(new Date(2026, 9, 26).getTime() - 1);
    const tomorrow = dueQuery('tomorrow', now) as typeof today;
    expect(Date.parse(tomorrow.shipDateFrom)).toBe(Date.parse(today.shipDateTo) + 1);
    const late = dueQuery('late', now);
    expect(late).not.toHaveProperty('shipDateFrom');
    expect(Date.parse(String(late.shipDateTo))).toBe(Date.parse(today.shipDateFrom) - 1);
  });

  it('lists the open orders of that day', async () => {
    const ship = async (offsetMs: number) => {
      const shipDate = new Date(Date.now() + offsetMs).toISOString();
      return (await app.call('POST', '/v1/store/orders', { body: { petId: rex, shipDate } })).body
        .id;
    };
    const [late, today, next] = [await ship(-2 * DAY_MS), await ship(0), await ship(3 * DAY_MS)];
    const due = async (day: string) =>
      (await petstore('orders', 'list', '--due', day, '--fields', 'id')).stdout;
    expect([await due('today'), await due('late')]).toEqual([`${today}\n`, `${late}\n`]);
    expect(await due('tomorrow')).not.toContain(String(next));
    await app.call('PATCH', `/v1/store/orders/${today}`, { body: { complete: true } });
    expect(await due('today')).toBe('');
  });

  it('is refused beside --ship-date-to, and for another day', async () => {
    const both = ['orders', 'list', '--due', 'today', '--ship-date-to', '2030-01-01T00:00:00Z'];
    expect((await petstore(...both)).code).toBe(2);
    expect((await petstore('orders', 'list', '--due', 'monday')).code).toBe(2);
  });
});

describe('orders pick-list', () => {
  beforeEach(async () => {
    for (const [petId, quantity] of [
      [rex, 2],
      [mia, 1],
      [rex, 1],
    ]) {
      await app.call('POST', '/v1/store/orders', { body: { petId, quantity } });
    }
  });

  it('adds up the units of each pet, by name', async () => {
    const [first, second, third] = (await openOrders()).map(({ id }: { id: number }) => id);
    const { code, stdout } = await petstore('orders', 'pick-list', '-o', 'csv');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `petId,pet,quantity,orders\n${mia},Mia,1,${second}: 1\n${rex},Rex,3,${first}: 2; ${third}: 1\n`,
    );
  });

  it('is a page to print, in which a name is no markup', async () => {
    await app.call('PATCH', `/v1/pets/${mia}`, { body: { name: '<b>Mia & "Co"</b>' } });
    const { code, stdout } = await petstore('orders', 'pick-list', '-o', 'html');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^<!doctype html>\n/)]);
    expect(stdout).toContain('&lt;b&gt;Mia &amp; &quot;Co&quot;&lt;/b&gt;');
    expect(stdout).toContain('3 open orders');
    expect(stdout).not.toMatch(/<script|https?:/);
    const other = await petstore('orders', 'pick-list', '-o', 'pdf');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('one of html, table')]);
    const help = await petstore('orders', 'pick-list', '--help');
    expect(help.stdout).toContain('html is a page for a printer');
  });

  it('says whose order it is, and takes the words of a customer', async () => {
    const shared = ['--customer', 'Ann <Lee>', '--reference', 'A-17', '--note', 'Rings twice'];
    await petstore('orders', 'place', '--pet', 'Rex', '--line', 'Mia=1', ...shared);
    const found = await petstore('orders', 'pick-list', '--q', 'lee', '--fields', 'pet,orders');
    expect(found.stdout).toMatch(
      /^Mia\t\d+: 1 \(A-17, Ann <Lee>\)\nRex\t\d+: 1 \(A-17, Ann <Lee>\)\n$/,
    );
    const page = await petstore('orders', 'pick-list', '--q', 'A-17', '-o', 'html');
    expect(page.stdout).toContain('(A-17, Ann &lt;Lee&gt;)');
    const listed = await petstore('orders', 'list', '--q', 'ann', '--fields', 'customer,note');
    expect(listed.stdout).toBe('Ann <Lee>\tRings twice\n'.repeat(2));
  });

  it('has what is due alone', async () => {
    const { stdout } = await petstore('orders', 'pick-list', '--due', 'today', '--json');
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('stock count', () => {
  const count = (csv: string, ...args: string[]) =>
    runPetstore(['stock', 'count', '-', ...args], { env, input: csv });
  const stockOf = async (id: number) =>
    (await app.call('GET', `/v1/inventory/${id}`)).body.quantity;

  it('sets what was counted, by id or name, with a reason in the ledger', async () => {
    const { code, stderr } = await count(`name;id;quantity\nmia;;7\n;${rex};4\n`);
    expect([code, stderr]).toEqual([0, 'petstore: 2 changed, 0 unchanged, 0 refused\n']);
    expect([await stockOf(rex), await stockOf(mia)]).toEqual([4, 7]);
    const { body } = await app.call('GET', `/v1/inventory/${mia}/movements?limit=1&sort=-id`);
    expect(body).toMatchObject([{ reason: 'Count', quantityAfter: 7 }]);
  });

  it('names pets by the reference of another system', async () => {
    await app.call('PATCH', `/v1/pets/${rex}`, { body: { reference: 'SKU-1' } });
    await app.call('PATCH', `/v1/pets/${mia}`, { body: { reference: '4711' } });
    const { code, stderr } = await count('reference,quantity\nSKU-1,3\n4711,4\n');
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 changed')]);
    expect([await stockOf(rex), await stockOf(mia)]).toEqual([3, 4]);
    const unknown = await count('reference,quantity\nSKU-1,1\nSKU-9,1\n');
    expect([unknown.code, await stockOf(rex)]).toEqual([2, 3]);
    expect(unknown.stderr).toContain('line 3: no pet has the reference SKU-9');
  });

  it('with expected, a sale since the count is a conflict of its row', async () => {
    const csv = 'name,expected,quantity\nRex,5,3\nMia,9,3\n';
    const { code, stdout, stderr } = await count(csv, '-o', 'csv');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 changed, 0 unchanged, 1 refused'),
    ]);
    expect(stdout).toContain(`2,${rex},5,3,`);
    expect([await stockOf(rex), await stockOf(mia)]).toEqual([3, 2]);
  });

  it('reads what stock list -o csv writes', async () => {
    const { stdout } = await petstore('stock', 'list', '--all', '-o', 'csv');
    const { code, stderr } = await count(stdout.replace(`${rex},Rex,5`, `${rex},Rex,9`));
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/1 changed, \d+ unchanged, 0 refused/),
    ]);
    expect(await stockOf(rex)).toBe(9);
  });

  it('skips a row that does not fit, changes the others and exits with 1', async () => {
    await app.call('POST', '/v1/store/orders', { body: { petId: mia, quantity: 2 } });
    const { code, stderr } = await count(`name,quantity\nMia,1\nRex,8\n`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('1 changed, 0 unchanged, 1 refused'),
    ]);
    expect([await stockOf(rex), await stockOf(mia)]).toEqual([8, 2]);
  });

  it.each([
    ['[{"petId":1,"quantity":2}]', 'the file is JSON; CSV is expected'],
    ['name,quantity\nRex,1\nZorro,2\n', 'line 3: no pet has the reference or the name Zorro'],
    ['name,quantity\nRex,one\n', 'line 2: quantity must be an integer'],
    ['name,quantity\nRex,\n', 'line 2: quantity is empty'],
    ['quantity\n5\n', 'line 2 names no pet'],
    ['name,quantity\nRex,1\nREX,2\n', 'is also on line 2'],
  ])('of %j changes nothing', async (csv, message) => {
    const { code, stderr } = await count(csv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await stockOf(rex)).toBe(5);
  });
});

it('pets put creates the pet with a reference, and changes it the next time', async () => {
  const put = ['pets', 'put', '--reference', 'W/7', '--category-id', '1'];
  const created = await petstore(...put, '--name', 'Wally');
  expect(created.stderr).toMatch(/^Pet Wally \(\d+\) created\.\n$/);
  const updated = await petstore(...put, '--name', 'Olly');
  expect(updated.stderr).toBe(
    created.stderr.replace('Wally', 'Olly').replace('created', 'updated'),
  );
  const placed = await petstore('orders', 'place', '--pet', 'W/7');
  expect([placed.code, placed.stderr]).toEqual([0, expect.stringContaining('1 unit reserved')]);
  const word = await petstore('pets', 'put', 'W/8', '--category-id', '1', '--name', 'Molly');
  expect(word.stderr).toMatch(/^Pet Molly \(\d+\) created\.\n$/);
});

it('stock list --low shows what is at its threshold or below it', async () => {
  const low = async () =>
    (await petstore('stock', 'list', '--low', '--all', '--fields', 'petId')).stdout.split('\n');
  await app.call('PATCH', '/v1/workspace', { body: { lowStockAt: 2 } });
  expect(await low()).toContain(String(mia));
  expect(await low()).not.toContain(String(rex));
  await app.call('PATCH', `/v1/pets/${rex}`, { body: { lowStockAt: 5 } });
  expect(await low()).toContain(String(rex));
  // Without a threshold of the workspace, that of a pet still counts.
  await app.call('PATCH', '/v1/workspace', { body: { lowStockAt: null } });
  expect(await low()).toContain(String(mia));
  expect(await low()).toContain(String(rex));
  await app.call('PATCH', `/v1/pets/${rex}`, { body: { lowStockAt: null } });
  expect(await low()).not.toContain(String(rex));
});

it('orders list --state shows orders that have ended', async () => {
  const { body } = await app.call('POST', '/v1/store/orders', { body: { petId: rex } });
  const cancel = ['orders', 'cancel', String(body.id), '--yes', '--reason', 'Changed their mind'];
  expect((await petstore(...cancel)).code).toBe(0);
  const fields = ['--fields', 'id,state,endReason'];
  const listed = await petstore('orders', 'list', '--state', 'cancelled', '--all', ...fields);
  expect(listed.stdout).toContain(`${body.id}\tcancelled\tChanged their mind\n`);
});
