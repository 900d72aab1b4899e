import { beforeAll, describe, expect, it } from 'vitest';
import type { OrderView as Order } from '../../../src/operations/views/order.ts';
import { nextOf, Shop } from '../../store/shop.ts';

describe('listOrders', () => {
  let shop: Shop;
  let dog: number;
  let cat: number;
  // In the order of their ids; the dates ascend, `undated` has none.
  let early: number;
  let noon: number;
  let undated: number;
  let late: number;

  beforeAll(async () => {
    shop = await Shop.open();
    dog = await shop.addPet({ quantity: 100 });
    cat = await shop.addPet({ quantity: 100 });
    early = await shop.order(dog, 1, { shipDate: '2026-06-01T00:00:00Z' });
    noon = await shop.order(cat, 2, { shipDate: '2026-06-15T12:00:00Z', complete: true });
    undated = await shop.order(dog, 3, { complete: true });
    late = await shop.order(dog, 4, { shipDate: '2026-06-30T23:59:59.999Z' });
  });

  const idsOf = async (query: string) =>
    (await shop.do<Order[]>('GET', `/store/orders${query}`)).map(({ id }) => id);

  it('lists all orders by id, either way', async () => {
    expect(await idsOf('')).toEqual([early, noon, undated, late]);
    expect(await idsOf('?sort=-id')).toEqual([late, undated, noon, early]);
  });

  it('shows each order as a single read does', async () => {
    for (const order of await shop.do<Order[]>('GET', '/store/orders')) {
      expect(await shop.do('GET', `/store/orders/${order.id}`)).toEqual(order);
    }
  });

  it('filters by pet and by completion', async () => {
    expect(await idsOf(`?petId=${dog}`)).toEqual([early, undated, late]);
    expect(await idsOf('?petId=999999')).toEqual([]);
    expect(await idsOf('?petId=9007199254740993')).toEqual([]);
    expect(await idsOf('?petId=9223372036854775807')).toEqual([]);
    expect(await idsOf('?complete=true')).toEqual([noon, undated]);
    expect(await idsOf('?complete=false')).toEqual([early, late]);
  });

  it('lists open and complete orders unless states are named, and each filter counts', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const [open, done, cancelled] = await Promise.all([1, 2, 3].map(() => shop.order(pet)));
    await shop.do('PATCH', `/store/orders/${done}`, { complete: true });
    await shop.do('DELETE', `/store/orders/${cancelled}`, undefined, 204);
    const ids = [open!, done!, cancelled!].toSorted((a, b) => a - b);
    const kept = ids.filter((id) => id !== cancelled);
    const of = (query: string) => idsOf(`?petId=${pet}${query}`);
    expect(await of('')).toEqual(kept);
    expect(await of('&sort=-id')).toEqual(kept.toReversed());
    expect(await of('&state=open')).toEqual([open]);
    expect(await of('&state=complete')).toEqual([done]);
    expect(await of('&state=cancelled')).toEqual([cancelled]);
    expect(await of('&state=expired')).toEqual([]);
    const all = '&state=open&state=complete&state=cancelled&state=expired';
    expect(await of(all)).toEqual(ids);
    expect(await of(`${all}&complete=false`)).toEqual([open]);
    expect(await of('&state=cancelled&complete=false')).toEqual([]);
    expect(await of('&state=cancelled&expiresBefore=2099-01-01T00:00:00Z')).toEqual([]);
    expect((await shop.call('GET', '/store/orders?state=shipped')).status).toBe(400);
    expect(await idsOf('?state=cancelled')).toEqual([cancelled]);
    const seen: number[] = [];
    for (let next: string | undefined = `/store/orders?petId=${pet}${all}&limit=1`; next; ) {
      const page = await shop.call<Order[]>('GET', next);
      seen.push(...page.body.map(({ id }) => id));
      next = nextOf(page);
    }
    expect(seen).toEqual(ids);
  });

  it('includes both ends of the ship dates, to the millisecond, and excludes undated orders', async () => {
    expect(await idsOf('?shipDateFrom=2026-06-01T00:00:00Z')).toEqual([early, noon, late]);
    expect(await idsOf('?shipDateFrom=2026-06-01T00:00:00.001Z')).toEqual([noon, late]);
    expect(await idsOf('?shipDateTo=2026-06-30T23:59:59.999Z')).toEqual([early, noon, late]);
    expect(await idsOf('?shipDateTo=2026-06-30T23:59:59.998Z')).toEqual([early, noon]);
    const exactly = 'shipDateFrom=2026-06-15T12:00:00Z&shipDateTo=2026-06-15T12:00:00Z';
    expect(await idsOf(`?${exactly}`)).toEqual([noon]);
    const backwards = 'shipDateFrom=2026-06-30T00:00:00Z&shipDateTo=2026-06-01T00:00:00Z';
    expect(await idsOf(`?${backwards}`)).toEqual([]);
  });

  it('filters by the exact reference and by when it was placed', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const place = (reference: string, more: object = {}) =>
      shop.do<Order>('POST', '/store/orders', { petId: pet, reference, ...more }, 201);
    const first = await place('PO-1');
    shop.app.clock.advance(60_000);
    const second = await place('PO-1', { complete: true });
    shop.app.clock.advance(60_000);
    const third = await place('po-1');
    expect(await idsOf('?reference=PO-1')).toEqual([first.id, second.id]);
    expect(await idsOf('?reference=PO-1&state=complete')).toEqual([second.id]);
    expect(await idsOf(`?reference=PO-1&petId=${dog}`)).toEqual([]);
    expect(await idsOf('?reference=PO')).toEqual([]);
    const of = (query: string) => idsOf(`?petId=${pet}&${query}`);
    expect(await of(`createdFrom=${second.createdAt}`)).toEqual([second.id, third.id]);
    expect(await of(`createdTo=${second.createdAt}`)).toEqual([first.id]);
    expect(await of(`createdFrom=${first.createdAt}&createdTo=${third.createdAt}`)).toEqual([
      first.id,
      second.id,
    ]);
  });

  it('compares instants, whatever their offset', async () => {
    expect(await idsOf('?shipDateTo=2026-06-01T02:00:00%2B02:00')).toEqual([early]);
    expect(await idsOf('?shipDateTo=2026-06-01T01:59:59%2B02:00')).toEqual([]);
    expect(await idsOf('?shipDateTo=2026-05-31T19:00:00-05:00')).toEqual([early]);
  });

  it('combines its filters', async () => {
    expect(await idsOf(`?petId=${dog}&complete=false`)).toEqual([early, late]);
    expect(await idsOf(`?petId=${dog}&complete=true&shipDateFrom=2026-01-01T00:00:00Z`)).toEqual(
      [],
    );
    const june = 'shipDateFrom=2026-06-02T00:00:00Z&shipDateTo=2026-06-30T00:00:00Z';
    expect(await idsOf(`?complete=true&${june}`)).toEqual([noon]);
    expect(await idsOf(`?petId=${cat}&complete=true&${june}&sort=-id`)).toEqual([noon]);
  });

  it.each([
    'petId=0',
    'petId=abc',
    'petId=9223372036854775808',
    'complete=1',
    'complete=TRUE',
    'complete=',
    'shipDateFrom=2026-06-01',
    'shipDateFrom=2026-02-30T00:00:00Z',
    'shipDateTo=2026-06-01T00:00:00',
    'shipDateTo=2026-06-01T00:00:00+02:00',
    'status=placed',
    'limit=0',
    'limit=101',
    'limit=ten',
    'sort=quantity',
    'cursor=AAAA',
    'complete=true&complete=true',
  ])('refuses ?%s and names the parameter', async (query) => {
    const answer = await shop.call('GET', `/store/orders?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].field).toBe(query.split('=')[0]);
  });

  it('returns 20 by default, with a link while there are more', async () => {
    const pet = await shop.addPet({ quantity: 100 });
    const placed: number[] = [];
    for (let count = 0; count < 21; count++) placed.push(await shop.order(pet));
    const first = await shop.call<Order[]>('GET', `/store/orders?petId=${pet}`);
    expect(first.body).toHaveLength(20);
    const second = await shop.call<Order[]>('GET', nextOf(first)!);
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(placed);
    expect(nextOf(second)).toBeUndefined();
    const exact = await shop.call<Order[]>('GET', `/store/orders?petId=${pet}&limit=21`);
    expect([exact.body.length, nextOf(exact)]).toEqual([21, undefined]);
  });

  it('neither repeats nor skips while orders come, go and complete between two pages', async () => {
    const pet = await shop.addPet({ quantity: 100 });
    const stays: number[] = [];
    for (let count = 0; count < 6; count++) stays.push(await shop.order(pet));
    const first = await shop.call<Order[]>('GET', `/store/orders?petId=${pet}&limit=3`);
    await shop.do('DELETE', `/store/orders/${stays[0]}`, undefined, 204);
    await shop.do('PATCH', `/store/orders/${stays[4]}`, { complete: true });
    const second = await shop.call<Order[]>('GET', nextOf(first)!);
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(stays);
  });

  it('refuses a cursor with another filter or sort', async () => {
    const page = await shop.call('GET', `/store/orders?petId=${dog}&limit=1`);
    const cursor = new URL(`http://x${nextOf(page)}`).searchParams.get('cursor');
    for (const query of [`petId=${cat}`, `petId=${dog}&sort=-id`, `petId=${dog}&complete=true`]) {
      const other = await shop.call('GET', `/store/orders?${query}&cursor=${cursor}`);
      expect([other.status, other.body.details[0].field]).toEqual([400, 'cursor']);
    }
  });

  it('keeps the orders of a deleted pet, and shows none of another workspace', async () => {
    const pet = await shop.addPet();
    const order = await shop.order(pet, 1, { complete: true });
    await shop.deletePet(pet);
    expect(await idsOf(`?petId=${pet}`)).toEqual([order]);
    const key = await shop.app.addWorkspace();
    const foreign = await shop.call('GET', `/store/orders?petId=${pet}`, { key });
    expect(foreign.body).toEqual([]);
  });
});

describe('orders sorted by ship date', () => {
  let shop: Shop;
  const days = [3, undefined, 1, 2, undefined, 2, undefined];
  const ids: number[] = [];
  beforeAll(async () => {
    shop = await Shop.open();
    const pet = await shop.addPet({ quantity: 100 });
    for (const [at, day] of days.entries()) {
      const shipDate = day === undefined ? {} : { shipDate: `2026-12-0${day}T00:00:00Z` };
      ids.push(await shop.order(pet, 1, { ...shipDate, complete: at % 2 === 0 }));
    }
  });
  const pagesOf = async (query: string) => {
    const pages: number[][] = [];
    for (let next: string | undefined = `/store/orders?${query}`; next; ) {
      const page = await shop.call<Order[]>('GET', next);
      expect(page.status, page.text).toBe(200);
      pages.push(page.body.map(({ id }) => ids.indexOf(id)));
      next = nextOf(page);
    }
    return pages;
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 20])(
    'come with those without one last, in pages of %d',
    async (limit) => {
      const up = [2, 3, 5, 0, 1, 4, 6];
      const down = [0, 5, 3, 2, 6, 4, 1];
      const pagesOfAll = await pagesOf(`sort=shipDate&limit=${limit}`);
      expect(pagesOfAll.flat()).toEqual(up);
      expect(pagesOfAll).toHaveLength(Math.ceil(days.length / limit));
      expect((await pagesOf(`sort=-shipDate&limit=${limit}`)).flat()).toEqual(down);
      expect((await pagesOf(`sort=shipDate&complete=false&limit=${limit}`)).flat()).toEqual([
        3, 5, 1,
      ]);
    },
  );

  it('can be a range, which has none without a date', async () => {
    const from = 'sort=-shipDate&shipDateFrom=2026-12-02T00:00:00Z';
    expect((await pagesOf(`${from}&limit=2`)).flat()).toEqual([0, 5, 3]);
    expect((await pagesOf(`${from}&shipDateTo=2026-12-02T00:00:00Z`)).flat()).toEqual([5, 3]);
  });

  it('refuses a cursor of another order', async () => {
    const page = await shop.call('GET', '/store/orders?sort=shipDate&limit=1');
    const cursor = /cursor=([\w-]+)/.exec(page.headers.get('link')!)![1];
    expect((await shop.call('GET', `/store/orders?limit=1&cursor=${cursor}`)).status).toBe(400);
  });
});
