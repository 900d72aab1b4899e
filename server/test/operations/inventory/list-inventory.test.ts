import { beforeAll, describe, expect, it } from 'vitest';
import type { InventoryItemView } from '../../../src/operations/views/inventory.ts';
import { nextOf, Shop } from '../../store/shop.ts';

describe('listInventory', () => {
  let shop: Shop;
  // Pets by what their stock says: available 3, 1 of 1 reserved, held, none left, none left and held.
  let free: number;
  let reserved: number;
  let held: number;
  let sold: number;
  let soldAndHeld: number;

  beforeAll(async () => {
    shop = await Shop.open();
    free = await shop.addPet({ quantity: 3 });
    reserved = await shop.addPet();
    await shop.order(reserved);
    held = await shop.addPet({ quantity: 2, held: true });
    sold = await shop.addPet({ quantity: 0 });
    soldAndHeld = await shop.addPet({ quantity: 0, held: true });
    const deleted = await shop.addPet();
    await shop.deletePet(deleted);
  });

  const idsOf = async (query: string) =>
    (await shop.do<InventoryItemView[]>('GET', `/inventory${query}`)).map(({ petId }) => petId);

  it('lists every pet that is not deleted, by pet', async () => {
    expect(await idsOf('')).toEqual([free, reserved, held, sold, soldAndHeld]);
    expect(await idsOf('?sort=-id')).toEqual([soldAndHeld, sold, held, reserved, free]);
  });

  it('filters by the status that is shown, for each status', async () => {
    expect(await idsOf('?status=available')).toEqual([free]);
    expect(await idsOf('?status=pending')).toEqual([reserved, held]);
    expect(await idsOf('?status=sold')).toEqual([sold, soldAndHeld]);
    const all = await shop.do<InventoryItemView[]>('GET', '/inventory');
    const byStatus = Object.groupBy(all, ({ status }) => status);
    expect(byStatus.pending?.map(({ petId }) => petId)).toEqual([reserved, held]);
    expect(byStatus.sold?.map(({ petId }) => petId)).toEqual([sold, soldAndHeld]);
  });

  it('lists the pets that are asked for, also with filters', async () => {
    expect(await idsOf(`?petId=${sold}&petId=${free}&petId=999`)).toEqual([free, sold]);
    expect(await idsOf(`?petId=${sold}&petId=${free}&status=sold`)).toEqual([sold]);
    const refused = await shop.call('GET', `/inventory?petId=${sold}&asOf=2026-01-01T00:00:00Z`);
    expect(refused.status).toBe(400);
  });

  it('shows the same status as the pets', async () => {
    for (const status of ['available', 'pending', 'sold']) {
      const pets = await shop.do<{ id: number }[]>('GET', `/pets?status=${status}`);
      expect(pets.map(({ id }) => id)).toEqual(await idsOf(`?status=${status}`));
    }
  });

  it('compares availableBelow strictly, with the available units and not with the quantity', async () => {
    expect(await idsOf('?availableBelow=0')).toEqual([]);
    expect(await idsOf('?availableBelow=1')).toEqual([reserved, sold, soldAndHeld]);
    expect(await idsOf('?availableBelow=2')).toEqual([reserved, sold, soldAndHeld]);
    expect(await idsOf('?availableBelow=3')).toEqual([reserved, held, sold, soldAndHeld]);
    expect(await idsOf('?availableBelow=4')).toEqual([free, reserved, held, sold, soldAndHeld]);
    expect(await idsOf('?availableBelow=1000000000')).toHaveLength(5);
  });

  it('filters by the start of the name and by the category', async () => {
    const other = await Shop.open();
    const cats = (await other.do('POST', '/categories', { name: 'Cats' }, 201)).id;
    const add = async (name: string, categoryId: number): Promise<number> =>
      (await other.do('POST', '/pets', { name, categoryId }, 201)).id;
    const rex = await add('Rex', 1);
    const rexCat = await add('REXI', cats);
    const max = await add('Max%', cats);
    const find = async (query: string) =>
      (await other.do<InventoryItemView[]>('GET', `/inventory?${query}`)).map(({ petId }) => petId);
    expect(await find('name=rex')).toEqual([rex, rexCat]);
    expect(await find(`name=rex&categoryId=${cats}`)).toEqual([rexCat]);
    expect(await find(`categoryId=${cats}&sort=-id`)).toEqual([max, rexCat]);
    expect(await find('name=%25')).toEqual([]);
    expect(await find('categoryId=999')).toEqual([]);
    expect(await find(`categoryId=${cats}&status=available&availableBelow=2`)).toHaveLength(2);
    const page = await other.call('GET', `/inventory?categoryId=${cats}&limit=1`);
    const next = nextOf(page)!;
    expect((await other.do<InventoryItemView[]>('GET', next)).map(({ petId }) => petId)).toEqual([
      max,
    ]);
    const refused = await other.call('GET', next.replace(`categoryId=${cats}`, 'categoryId=1'));
    expect(refused.status).toBe(400);
  });

  it('combines its filters', async () => {
    expect(await idsOf('?status=pending&availableBelow=1')).toEqual([reserved]);
    expect(await idsOf('?status=sold&availableBelow=0')).toEqual([]);
  });

  it.each([
    'status=gone',
    'status=',
    'status=sold&status=sold',
    'availableBelow=-1',
    'availableBelow=1.5',
    'availableBelow=1000000001',
    'availableBelow=',
    'pet=1',
    'limit=0',
    'limit=101',
    'sort=petId',
    'cursor=x',
  ])('refuses ?%s and names the parameter', async (query) => {
    const answer = await shop.call('GET', `/inventory?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].field).toBe(query.split('=')[0]);
  });

  it('pages without repeating or skipping, also while pets come and go', async () => {
    const key = await shop.app.addWorkspace();
    const options = { key };
    await shop.call('POST', '/categories', { ...options, body: { name: 'Cats' } });
    const [{ id: categoryId }] = (await shop.call('GET', '/categories', options)).body;
    const body = { name: 'Tom', categoryId };
    const add = async () => (await shop.call('POST', '/pets', { ...options, body })).body.id;
    const there: number[] = [];
    for (let count = 0; count < 7; count++) there.push(await add());
    const seen: number[] = [];
    let path: string | undefined = '/inventory?limit=2&status=available';
    while (path) {
      const page = await shop.call<InventoryItemView[]>('GET', path, options);
      seen.push(...page.body.map(({ petId }) => petId));
      path = nextOf(page);
      if (seen.length === 2) {
        await shop.call('DELETE', `/pets/${there[0]}`, options);
        await shop.call('DELETE', `/pets/${there[1]}`, options);
        there.push(await add());
      }
    }
    expect(seen).toEqual(there);
  });

  it('refuses a cursor with another filter', async () => {
    const page = await shop.call('GET', '/inventory?limit=1&status=sold');
    const cursor = new URL(`http://x${nextOf(page)}`).searchParams.get('cursor');
    const other = await shop.call('GET', `/inventory?limit=1&status=pending&cursor=${cursor}`);
    expect([other.status, other.body.details[0].field]).toEqual([400, 'cursor']);
    expect(await idsOf(`?limit=5&status=sold&cursor=${cursor}`)).toEqual([soldAndHeld]);
  });

  it('shows nothing of another workspace', async () => {
    const key = await shop.app.addWorkspace();
    expect((await shop.call('GET', '/inventory', { key })).body).toEqual([]);
  });
});
