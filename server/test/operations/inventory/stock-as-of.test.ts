import { beforeAll, describe, expect, it } from 'vitest';
import type { InventoryItemView } from '../../../src/operations/views/inventory.ts';
import { stopClock } from '../../account/still-clock.ts';
import { nextOf, Shop } from '../../store/shop.ts';

describe('stock as of a moment', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    // What the test calls 4 s ago is still that when the request arrives.
    stopClock(shop.app, shop.app.clock.now());
  });

  /** An instant that no change has, long enough ago to be asked for. */
  const passTime = () => {
    shop.app.clock.advance(30_000);
    const moment = new Date(shop.app.clock.now()).toISOString();
    shop.app.clock.advance(30_000);
    return moment;
  };
  const itemAt = (pet: number, asOf: string) =>
    shop.call<InventoryItemView>('GET', `/inventory/${pet}?asOf=${asOf}`);
  const listAt = async (asOf: string, more = '') =>
    (await shop.do<InventoryItemView[]>('GET', `/inventory?asOf=${asOf}&limit=100${more}`)).map(
      ({ petId, quantity, reserved, status }) => [petId, quantity, reserved, status],
    );

  it('shows the counts of then, by pet and in the list, and none of what came later', async () => {
    const pet = await shop.addPet({ quantity: 5 });
    const full = passTime();
    const order = await shop.order(pet, 2);
    const reserved = passTime();
    await shop.do('PATCH', `/store/orders/${order}`, { complete: true });
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 0 });
    const empty = passTime();
    await shop.do('PATCH', `/inventory/${pet}`, { quantity: 7 });
    const expected = [
      [full, { quantity: 5, reserved: 0, available: 5, status: 'available' }],
      [reserved, { quantity: 5, reserved: 2, available: 3, status: 'available' }],
      [empty, { quantity: 0, reserved: 0, available: 0, status: 'sold' }],
    ] as const;
    for (const [moment, counts] of expected) {
      const { status, body, headers } = await itemAt(pet, moment);
      expect([status, body]).toEqual([200, { petId: pet, ...counts }]);
      expect(headers.has('etag')).toBe(false);
      const listed = await listAt(moment);
      expect(listed).toContainEqual([pet, counts.quantity, counts.reserved, counts.status]);
    }
    expect((await shop.stateOf(pet)).item.quantity).toBe(7);
  });

  it('derives the status from the counts: holds are not history', async () => {
    const pet = await shop.addPet({ held: true });
    const moment = passTime();
    expect((await shop.stateOf(pet)).item.status).toBe('pending');
    expect((await itemAt(pet, moment)).body.status).toBe('available');
  });

  it('leaves out pets that were created later or deleted before, and has those deleted since', async () => {
    const kept = await shop.addPet({ quantity: 2 });
    const gone = await shop.addPet({ quantity: 3 });
    const goneBefore = await shop.addPet();
    await shop.deletePet(goneBefore);
    const moment = passTime();
    const later = await shop.addPet();
    await shop.deletePet(gone);
    const ids = (await listAt(moment)).map(([id]) => id);
    expect(ids).toEqual(expect.arrayContaining([kept, gone]));
    expect(ids).not.toContain(later);
    expect(ids).not.toContain(goneBefore);
    expect((await itemAt(gone, moment)).body.quantity).toBe(3);
    for (const pet of [later, goneBefore]) expect((await itemAt(pet, moment)).status).toBe(404);
    expect((await itemAt(gone, passTime())).status).toBe(404);
    const key = await shop.app.addWorkspace();
    const path = `/inventory/${kept}?asOf=${moment}`;
    expect((await shop.call('GET', path, { key })).status).toBe(404);
    expect((await shop.call('GET', `/inventory?asOf=${moment}`, { key })).body).toEqual([]);
  });

  it('is empty before the store existed', async () => {
    await shop.addPet();
    expect(await listAt('2001-01-01T00:00:00Z')).toEqual([]);
    expect((await itemAt(1, '2001-01-01T00:00:00Z')).status).toBe(404);
  });

  it('gives the same bytes again after more traffic', async () => {
    const pet = await shop.addPet({ quantity: 9 });
    const moment = passTime();
    const read = async () => (await shop.call('GET', `/inventory?asOf=${moment}&limit=100`)).text;
    const before = await read();
    for (let at = 0; at < 5; at++) await shop.order(pet, 1, { complete: at % 2 === 0 });
    await shop.deletePet(await shop.addPet());
    passTime();
    expect(await read()).toBe(before);
  });

  it('has pages that agree with one another while orders arrive', async () => {
    const pets: number[] = [];
    for (let at = 0; at < 9; at++) pets.push(await shop.addPet({ quantity: 50 }));
    await shop.deletePet(pets.splice(4, 1)[0]!);
    const moment = passTime();
    const whole = await listAt(moment);
    const seen: unknown[] = [];
    for (const sort of ['', '&sort=-id']) {
      seen.length = 0;
      let path: string | undefined = `/inventory?asOf=${moment}&limit=2${sort}`;
      while (path) {
        for (const pet of pets) await shop.order(pet, 1);
        const page = await shop.call<InventoryItemView[]>('GET', path);
        expect(page.status, page.text).toBe(200);
        for (const item of page.body) {
          seen.push([item.petId, item.quantity, item.reserved, item.status]);
        }
        path = nextOf(page);
      }
      expect(seen).toEqual(sort === '' ? whole : whole.toReversed());
    }
  });

  it('filters by the name and the category that pets have now', async () => {
    const pet = await shop.addPet({ quantity: 4 });
    await shop.do('PATCH', `/pets/${pet}`, { name: 'Zebra' });
    const moment = passTime();
    expect(await listAt(moment, '&name=zeb')).toEqual([[pet, 4, 0, 'available']]);
    expect((await listAt(moment, '&categoryId=1')).map(([id]) => id)).toContain(pet);
    expect(await listAt(moment, '&categoryId=999')).toEqual([]);
  });

  it.each([
    ['the future', 60_000],
    ['now', 0],
    ['4 s ago', -4_000],
  ])('refuses %s', async (_, ms) => {
    const pet = await shop.addPet();
    const asOf = new Date(shop.app.clock.now() + ms).toISOString();
    for (const path of [`/inventory?asOf=${asOf}`, `/inventory/${pet}?asOf=${asOf}`]) {
      const { status, body } = await shop.call('GET', path);
      expect([status, body.details[0].field]).toEqual([400, 'asOf']);
    }
  });

  it.each(['status=sold', 'availableBelow=3'])('refuses it together with %s', async (other) => {
    const { status, body } = await shop.call('GET', `/inventory?asOf=${passTime()}&${other}`);
    expect([status, body.details[0].field]).toEqual([400, other.split('=')[0]]);
  });

  it('never runs back when the service starts with its clock an hour back', async () => {
    const pet = await shop.addPet({ quantity: 3 });
    const before = passTime();
    await shop.order(pet, 1);
    const [last] = await shop.do('GET', `/inventory/${pet}/movements?sort=-id&limit=1`);
    shop.app.clock.advance(-3_600_000);
    await shop.app.restart();
    await shop.order(pet, 1);
    const [next] = await shop.do('GET', `/inventory/${pet}/movements?sort=-id&limit=1`);
    expect(Date.parse(next.at)).toBeGreaterThanOrEqual(Date.parse(last.at));
    expect((await itemAt(pet, before)).status, 'the moment is ahead of the clock').toBe(400);
    shop.app.clock.advance(3_700_000);
    expect((await itemAt(pet, before)).body.reserved).toBe(0);
    expect((await itemAt(pet, passTime())).body.reserved).toBe(2);
  });
});
