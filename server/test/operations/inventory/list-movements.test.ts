import { beforeAll, describe, expect, it } from 'vitest';
import type { MovementView } from '../../../src/operations/views/inventory.ts';
import { absentIds, countsOf, malformedIds, nextOf, Shop } from '../../store/shop.ts';

describe('listMovements', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });

  it('tells the whole story of a pet, each row going on where the one before ended', async () => {
    const pet = await shop.addPet();
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 10 });
    const order = await shop.order(pet, 3);
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    const cancelled = await shop.order(pet, 2);
    await shop.do('DELETE', `/store/orders/${cancelled}`, undefined, 204);
    const atOnce = await shop.order(pet, 1, { complete: true });
    await shop.do('POST', `/inventory/${pet}/adjustments`, { delta: -1, reason: 'x' }, 201);
    await shop.do('PATCH', `/pets/${pet}`, { status: 'sold' });
    const ledger = await shop.do<MovementView[]>('GET', `/inventory/${pet}/movements`);
    expect(ledger.map(countsOf)).toEqual([
      ['created', [0, 1], [0, 0]],
      ['set', [1, 10], [0, 0]],
      ['reserved', [10, 10], [0, 3]],
      ['fulfilled', [10, 7], [3, 0]],
      ['reserved', [7, 7], [0, 2]],
      ['released', [7, 7], [2, 0]],
      ['fulfilled', [7, 6], [0, 0]],
      ['adjusted', [6, 5], [0, 0]],
      ['sold', [5, 0], [0, 0]],
    ]);
    const orders = ledger.map(({ orderId }) => orderId);
    const none = undefined;
    expect(orders).toEqual([
      none,
      none,
      order,
      order,
      cancelled,
      cancelled,
      atOnce,
      ...[none, none],
    ]);
  });

  it('names the key that made each change', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const key = await shop.app.addKey(['write']);
    const body = { petId: pet };
    const placed = await shop.call('POST', '/store/orders', { key, body });
    await shop.do('DELETE', `/store/orders/${placed.body.id}`, undefined, 204);
    const keys = await shop.do<{ id: string; scopes: string[] }[]>('GET', '/keys');
    const second = keys.find(({ scopes }) => scopes.length === 1)!.id;
    const first = keys.find(({ scopes }) => scopes.length > 1)!.id;
    const { ledger } = await shop.stateOf(pet);
    expect(ledger.map(({ keyId }) => keyId)).toEqual([first, first, second, first]);
  });

  it('dates each row by the clock of the service', async () => {
    const pet = await shop.addPet();
    shop.app.clock.advance(3_600_000);
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 2 });
    const [created, set] = (await shop.stateOf(pet)).ledger;
    const between = Date.parse(set!.at) - Date.parse(created!.at);
    expect(between).toBeGreaterThanOrEqual(3_600_000);
    expect(between).toBeLessThan(3_660_000);
  });

  it('refuses a cursor of the ledger of another pet', async () => {
    const [first, second] = [
      await shop.addPet({ quantity: 5 }),
      await shop.addPet({ quantity: 5 }),
    ];
    const page = await shop.call('GET', `/inventory/${first}/movements?limit=1`);
    const next = nextOf(page)!;
    expect((await shop.call('GET', next)).status).toBe(200);
    const foreign = next.replace(`/inventory/${first}/`, `/inventory/${second}/`);
    expect(foreign).not.toBe(next);
    const refused = await shop.call('GET', foreign);
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([{ field: 'cursor' }]);
  });

  it('pages in both directions', async () => {
    const pet = await shop.addPet();
    for (const quantity of [2, 3, 4, 5]) {
      await shop.do('PATCH', `/inventory/${pet}`, { quantity });
    }
    for (const [sort, expected] of [
      ['id', [1, 2, 3, 4, 5]],
      ['-id', [5, 4, 3, 2, 1]],
    ] as const) {
      const seen: number[] = [];
      let path: string | undefined = `/inventory/${pet}/movements?limit=2&sort=${sort}`;
      while (path) {
        const page = await shop.call<MovementView[]>('GET', path);
        seen.push(...page.body.map(({ quantityAfter }) => quantityAfter));
        path = nextOf(page);
      }
      expect(seen).toEqual(expected);
    }
  });

  it('hides the ledger of a deleted pet and of a foreign one', async () => {
    const pet = await shop.addPet();
    const key = await shop.app.addWorkspace();
    expect((await shop.call('GET', `/inventory/${pet}/movements`, { key })).status).toBe(404);
    expect((await shop.call('GET', `/inventory/${pet}/movements`)).status).toBe(200);
    await shop.deletePet(pet);
    expect((await shop.call('GET', `/inventory/${pet}/movements`)).status).toBe(404);
  });

  it('refuses what is no id, finds nothing under an absent one, and knows no filters', async () => {
    for (const id of malformedIds) {
      expect((await shop.call('GET', `/inventory/${id}/movements`)).status).toBe(400);
    }
    for (const id of absentIds) {
      expect((await shop.call('GET', `/inventory/${id}/movements`)).status).toBe(404);
    }
    const pet = await shop.addPet();
    expect((await shop.call('GET', `/inventory/${pet}/movements?cause=set`)).status).toBe(400);
  });
});
