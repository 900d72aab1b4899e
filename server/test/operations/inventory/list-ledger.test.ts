import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const NINE = Date.parse('2029-11-15T09:00:00Z');
const SECOND_MS = 1_000;
const BLOCK = 500;

let app: TestApp;
let own: NewWorkspace;
let other: NewWorkspace;

interface Row {
  id: number;
  petId: number;
  cause: string;
  keyId?: string;
  at: string;
}

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app, NINE);
  own = await newWorkspace(app, { plan: 'business' });
  other = await newWorkspace(app, { plan: 'business' });
});

async function newPet({ key }: NewWorkspace): Promise<number> {
  const name = `kind ${Math.random()}`;
  const category = await app.call('POST', '/v1/categories', { key, body: { name } });
  const body = { name: 'Rex', categoryId: category.body.id };
  return (await app.call('POST', '/v1/pets', { key, body })).body.id;
}

function adjust({ key }: NewWorkspace, petId: number, delta = 1) {
  const body = { delta, reason: 'delivery' };
  return app.call('POST', `/v1/inventory/${petId}/adjustments`, { key, body });
}

/** Writes rows past the service: what matters is how many lie where. */
function addRows(
  { id: workspaceId }: NewWorkspace,
  petId: number,
  count: number,
  { at = NINE, keyId = 'bulk' } = {},
) {
  return app.transact(async (tx) => {
    const stock = { quantity: 1, reserved: 0, held: false };
    const step = { petId, before: stock, after: stock, cause: 'created', keyId } as const;
    for (let left = count; left > 0; left -= BLOCK) {
      await tx.stock.insertMovements(workspaceId, Array(Math.min(left, BLOCK)).fill(step), at);
    }
  });
}

async function get(search = '', key = own.key) {
  const answer = await app.call<Row[]>('GET', `/v1/movements${search}`, { key });
  expect(answer.status, answer.text).toBe(200);
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  return { rows: answer.body, next, answer };
}

/** Follows the links, as a client does. */
async function walk(search = '', { onPage = async () => {} } = {}) {
  const rows: Row[] = [];
  let pages = 0;
  for (let at: string | undefined = search; at !== undefined; pages += 1) {
    const page = await get(at.replace('/v1/movements', ''));
    rows.push(...page.rows);
    at = page.next;
    await onPage();
  }
  return { rows, pages };
}

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

describe('listLedger', () => {
  it('lists the rows of every pet, newest first, and none of another workspace', async () => {
    const [rex, max] = [await newPet(own), await newPet(own)];
    const foreign = await newPet(other);
    await adjust(own, rex);
    await adjust(other, foreign);
    await adjust(own, max, 2);
    const { rows, next, answer } = await get();
    expectDocumented('listLedger', answer);
    expect(next).toBeUndefined();
    expect(rows.map(({ petId, cause }) => [petId, cause])).toEqual([
      [max, 'adjusted'],
      [rex, 'adjusted'],
      [max, 'created'],
      [rex, 'created'],
    ]);
    expect(rows[0]).toMatchObject({ quantityBefore: 1, quantityAfter: 3, keyId: own.keyId });
    expect(ids((await get('?sort=id')).rows)).toEqual(ids(rows).toReversed());
    expect((await get(`?petId=${foreign}`)).rows).toEqual([]);
    expect((await get('?petId=424242')).rows).toEqual([]);
  });

  it('is empty for a workspace without a pet', async () => {
    await newPet(other);
    expect(await get()).toMatchObject({ rows: [], next: undefined });
  });

  it('includes the rows of pets that were deleted', async () => {
    const rex = await newPet(own);
    await adjust(own, rex);
    await app.call('DELETE', `/v1/pets/${rex}`, { key: own.key });
    expect((await get()).rows).toHaveLength(2);
    expect((await get(`?petId=${rex}`)).rows).toHaveLength(2);
  });

  it('filters by pet, cause, key and time, from included and to excluded', async () => {
    const [rex, max] = [await newPet(own), await newPet(own)];
    app.clock.advance(SECOND_MS);
    await adjust(own, rex);
    app.clock.advance(SECOND_MS);
    const order = { petId: max };
    await app.call('POST', '/v1/store/orders', { key: own.key, body: order });
    const input = { name: 'till', scopes: ['write'] };
    const till = (await app.call('POST', '/v1/keys', { key: own.key, body: input })).body;
    app.clock.advance(SECOND_MS);
    await adjust({ ...own, key: till.key }, rex);
    const shown = async (search: string) =>
      (await get(search)).rows.map(
        ({ petId, cause }) => `${petId === rex ? 'rex' : 'max'} ${cause}`,
      );
    expect(await shown(`?petId=${rex}`)).toEqual(['rex adjusted', 'rex adjusted', 'rex created']);
    expect(await shown('?cause=reserved')).toEqual(['max reserved']);
    expect(await shown(`?keyId=${till.id}`)).toEqual(['rex adjusted']);
    expect(await shown('?keyId=unknown')).toEqual([]);
    const second = '2029-11-15T09:00:01Z';
    expect(await shown(`?to=${second}`)).toEqual(['max created', 'rex created']);
    expect(await shown(`?from=${second}&to=2029-11-15T09:00:02Z`)).toEqual(['rex adjusted']);
    expect(await shown(`?from=${second}&petId=${max}`)).toEqual(['max reserved']);
    expect(await shown(`?from=${second}&cause=adjusted&keyId=${own.keyId}`)).toHaveLength(1);
    expect(await shown(`?from=2029-11-15T09:00:04Z`)).toEqual([]);
  });

  it.each(['petId=0', 'cause=stolen', 'keyId=', 'from=yesterday', 'sort=at', 'orderId=1'])(
    'refuses %s',
    async (search) => {
      const answer = await app.call('GET', `/v1/movements?${search}`, { key: own.key });
      expect(answer.status).toBe(400);
    },
  );

  it.each(['-id', 'id'])('pages by %s repeat and skip nothing while others write', async (sort) => {
    const [rex, foreign] = [await newPet(own), await newPet(other)];
    for (let round = 0; round < 12; round++) {
      await adjust(own, rex);
      await adjust(other, foreign);
    }
    const before = ids((await get('?limit=100&sort=id')).rows);
    const onPage = async () => {
      await Promise.all([adjust(own, rex), adjust(other, foreign)]);
      app.clock.advance(SECOND_MS);
    };
    const { rows } = await walk(`?limit=3&sort=${sort}&to=2029-11-15T09:00:01Z`, { onPage });
    const found = ids(rows).filter((id) => before.includes(id));
    expect(found).toEqual(sort === 'id' ? before : before.toReversed());
    expect(new Set(ids(rows)).size).toBe(rows.length);
  });
});

describe('listLedger in a ledger that is mostly of others', () => {
  it('finds rows that lie far apart, in both directions, in one page', async () => {
    const [rex, foreign] = [await newPet(own), await newPet(other)];
    for (let round = 0; round < 5; round++) {
      await addRows(other, foreign, 6_000);
      await adjust(own, rex);
    }
    await addRows(other, foreign, 6_000);
    const down = await get();
    expect(down.next).toBeUndefined();
    expect(down.rows.map(({ cause }) => cause)).toEqual([...Array(5).fill('adjusted'), 'created']);
    const up = await get('?sort=id');
    expect(up.next).toBeUndefined();
    expect(ids(up.rows)).toEqual(ids(down.rows).toReversed());
  });

  it('ends a page early where few rows pass the filter, and goes on behind it', async () => {
    const rex = await newPet(own);
    await addRows(own, rex, 12_000);
    const search = `?keyId=${own.keyId}`;
    const first = await get(search);
    expect(first.rows).toEqual([]);
    expect(first.next).toBeDefined();
    for (const filter of [search, `${search}&petId=${rex}`, `${search}&sort=id`]) {
      const { rows, pages } = await walk(filter);
      expect(rows.map(({ cause }) => cause)).toEqual(['created']);
      expect(pages).toBeGreaterThan(1);
      expect(pages).toBeLessThan(6);
    }
  });

  it('finds all rows of a period although some are dated before their neighbours', async () => {
    const rex = await newPet(own);
    const offsets = [0, 40, 10, 50, 60, 20, 70, 100, 65, 130, 110, 300, 600, 900];
    for (const [index, offset] of offsets.entries()) {
      await addRows(own, rex, 1, { at: NINE + offset * SECOND_MS, keyId: `key${index}` });
    }
    await addRows(own, rex, 2_000, { at: NINE + 7_200_000 });
    for (const [from, to] of [
      [0, 1_000],
      [20, 65],
      [60, 111],
      [100, 300],
    ] as const) {
      const moment = (offset: number) => new Date(NINE + offset * SECOND_MS).toISOString();
      const wanted = offsets.filter((offset) => offset >= from && offset < to).length;
      const period = `?from=${moment(from)}&to=${moment(to)}&cause=created&limit=2`;
      const { rows } = await walk(period);
      // The row that created the pet is of nine o'clock too.
      expect(rows).toHaveLength(wanted + (from === 0 ? 1 : 0));
      expect(ids((await walk(`${period}&sort=id`)).rows)).toEqual(ids(rows).toReversed());
    }
  });
});
