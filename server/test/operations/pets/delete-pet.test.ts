import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('deletePet', () => {
  let app: TestApp;
  let petId: number;
  beforeAll(async () => {
    app = await testApp();
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  });
  beforeEach(async () => {
    const body = { name: 'Rex', categoryId: 1 };
    petId = (await app.call('POST', '/v1/pets', { body })).body.id;
  });
  const remove = (headers: Record<string, string> = {}) =>
    app.call('DELETE', `/v1/pets/${petId}`, { headers });
  const order = async () => {
    return (await app.call('POST', '/v1/store/orders', { body: { petId } })).body;
  };

  it('hides the pet, its stock and its movements', async () => {
    const answer = await remove();
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers.has('content-type')).toBe(false);
    for (const path of [`/pets/${petId}`, `/inventory/${petId}`, `/inventory/${petId}/movements`]) {
      expectError(await app.call('GET', `/v1${path}`), 'not_found');
    }
    for (const path of [`/pets?id=${petId}`, `/store/orders?petId=${petId}`]) {
      expect((await app.call('GET', `/v1${path}`)).body).toEqual([]);
    }
    const stock = (await app.call('GET', '/v1/inventory?limit=100')).body;
    expect(stock.map((item: { petId: number }) => item.petId)).not.toContain(petId);
  });

  it('is 404 the second time', async () => {
    await remove();
    expectError(await remove(), 'not_found');
  });

  it('is refused while the pet has open orders, and changes nothing', async () => {
    const { id } = await order();
    expectError(await remove(), 'pet_has_open_orders');
    expect((await app.call('GET', `/v1/pets/${petId}`)).status).toBe(200);
    await app.call('DELETE', `/v1/store/orders/${id}`);
    expect((await remove()).status).toBe(204);
  });

  it('leaves the orders of the pet readable', async () => {
    const { id } = await order();
    const done = await app.call('PATCH', `/v1/store/orders/${id}`, { body: { complete: true } });
    expect((await remove()).status).toBe(204);
    expect((await app.call('GET', `/v1/store/orders/${id}`)).body).toEqual(done.body);
    const listed = await app.call('GET', `/v1/store/orders?petId=${petId}`);
    expect(listed.body).toEqual([done.body]);
  });

  it('refuses a stale If-Match', async () => {
    const { headers } = await app.call('GET', `/v1/pets/${petId}`);
    await app.call('PATCH', `/v1/pets/${petId}`, { body: { name: 'Max' } });
    expectError(await remove({ 'if-match': headers.get('etag')! }), 'precondition_failed');
    expect((await app.call('GET', `/v1/pets/${petId}`)).status).toBe(200);
    expect((await remove({ 'if-match': '*' })).status).toBe(204);
  });

  it('succeeds for one of many at once', async () => {
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => remove()))).map(
      (a) => a.status,
    );
    expect(statuses.sort()).toEqual([204, ...Array(7).fill(404)]);
  });
});
