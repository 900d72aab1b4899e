import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

interface Low {
  data: { inventory: { petId: number }; lowStockAt: number };
}

const create = async (quantity: number, more: object = {}): Promise<number> => {
  const { body, text } = await app.call('POST', '/v1/pets', {
    body: { name: 'Rex', categoryId: 1, ...more },
  });
  if (!body.id) throw new Error(text);
  await app.call('PATCH', `/v1/inventory/${body.id}`, { body: { quantity } });
  return body.id;
};
const patch = (id: number, body: object) => app.call('PATCH', `/v1/pets/${id}`, { body });
const order = (petId: number, quantity: number, complete = false) =>
  app.call('POST', '/v1/store/orders', { body: { petId, quantity, complete } });
const setWorkspace = (lowStockAt: number | null) =>
  app.call('PATCH', '/v1/workspace', { body: { lowStockAt } });
/** The thresholds of the events about a pet. */
const crossed = async (id: number) => {
  const { body } = await app.call<Low[]>('GET', '/v1/events?type=inventory.low&limit=100');
  const own = body.filter(({ data }) => data.inventory.petId === id);
  return own.map(({ data }) => data.lowStockAt);
};

describe('the threshold of a pet', () => {
  it('goes before that of the workspace, whatever takes the units', async () => {
    await setWorkspace(5);
    const own = await create(10, { lowStockAt: 2 });
    const shared = await create(10);
    for (const id of [own, shared]) {
      await order(id, 5);
      await order(id, 3, true);
    }
    expect(await crossed(own)).toEqual([2]);
    expect(await crossed(shared)).toEqual([5]);
    const counted = await create(10, { lowStockAt: 7 });
    await app.call('PATCH', `/v1/inventory/${counted}`, { body: { quantity: 7 } });
    expect(await crossed(counted)).toEqual([7]);
    const batch = await create(10, { lowStockAt: 8 });
    const orders = [
      { petId: batch, quantity: 1 },
      { petId: batch, quantity: 1 },
    ];
    await app.call('POST', '/v1/store/orders/batch', { body: { orders } });
    expect(await crossed(batch)).toEqual([8]);
  });

  it('works without one of the workspace, and 0 tells when none is available', async () => {
    await setWorkspace(null);
    const pet = await create(2, { lowStockAt: 0 });
    const other = await create(2);
    for (const id of [pet, other]) {
      await order(id, 1);
      expect(await crossed(id)).toEqual([]);
      await order(id, 1, true);
    }
    expect(await crossed(pet)).toEqual([0]);
    expect(await crossed(other)).toEqual([]);
  });

  it('is shown, changed and cleared, and its events tell', async () => {
    const pet = await create(1);
    const read = async () => (await app.call('GET', `/v1/pets?id=${pet}`)).body[0];
    expect(await read()).not.toHaveProperty('lowStockAt');
    expect((await patch(pet, { lowStockAt: 0 })).body.lowStockAt).toBe(0);
    expect((await patch(pet, { lowStockAt: 1_000_000 })).body.lowStockAt).toBe(1_000_000);
    expect((await patch(pet, { name: 'Max' })).body.lowStockAt).toBe(1_000_000);
    expect((await patch(pet, { lowStockAt: null })).body).not.toHaveProperty('lowStockAt');
    expect(await read()).not.toHaveProperty('lowStockAt');
    for (const wrong of [-1, 1_000_001, 1.5, '3']) {
      const answer = await patch(pet, { lowStockAt: wrong });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('lowStockAt');
    }
    const { body } = await app.call('GET', '/v1/events?type=pet.updated&limit=100');
    const before = body
      .filter(({ data }: { data: { pet: { id: number } } }) => data.pet.id === pet)
      .map((event: { before: object }) => event.before);
    expect(before).toEqual([
      { lowStockAt: null },
      { lowStockAt: 0 },
      { name: 'Rex' },
      { lowStockAt: 1_000_000 },
    ]);
  });

  it('lists the stock that is low, or is not, by the threshold that counts', async () => {
    const key = await app.addWorkspace();
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/v1${path}`, { key, ...(body ? { body } : {}) });
    const { body: dogs } = await call('POST', '/categories', { name: 'Dogs' });
    const ids: number[] = [];
    for (const lowStockAt of [undefined, 0, 1, 5]) {
      const threshold = lowStockAt === undefined ? {} : { lowStockAt };
      const pet = { name: 'Rex', categoryId: dogs.id, ...threshold };
      ids.push((await call('POST', '/pets', pet)).body.id);
    }
    const stock = (at: number, quantity: number) =>
      call('PATCH', `/inventory/${ids[at]}`, { quantity });
    const low = async (query: string) =>
      (await call('GET', `/inventory?${query}`)).body.map(({ petId }: { petId: number }) => {
        return ids.indexOf(petId);
      });
    // Without one of the workspace, a pet without its own is low at 2.
    for (const at of [0, 1, 3]) await stock(at, 3);
    expect(await low('low=true')).toEqual([2, 3]);
    expect(await low('low=false')).toEqual([0, 1]);
    await stock(0, 2);
    await stock(1, 1);
    expect(await low('low=true')).toEqual([0, 2, 3]);
    expect(await low('low=false')).toEqual([1]);
    await stock(0, 1);
    await call('PATCH', '/workspace', { lowStockAt: 1 });
    expect(await low('low=true')).toEqual([0, 2, 3]);
    expect(await low('low=true&sort=-id&q=rex')).toEqual([3, 2, 0]);
    expect(await low(`low=true&petId=${ids[1]}&petId=${ids[3]}`)).toEqual([3]);
    await call('POST', '/store/orders', { petId: ids[1], complete: true });
    expect(await low('low=true')).toEqual([0, 1, 2, 3]);
    expect(await low('low=false')).toEqual([]);
    for (const query of ['low=yes', 'low=true&asOf=2020-01-01T00:00:00Z']) {
      expectError(await call('GET', `/inventory?${query}`), 'invalid_request');
    }
  });
});
