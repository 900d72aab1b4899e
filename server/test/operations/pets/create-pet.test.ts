import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('createPet', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  });
  const create = (body: unknown) => app.call('POST', '/v1/pets', { body });

  it('creates a pet that is available, with its Location', async () => {
    const created = await create({ name: ' Rex ', categoryId: 1 });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.body).toEqual({ id, name: 'Rex', categoryId: 1, status: 'available' });
    expect(created.headers.get('location')).toBe(`/v1/pets/${id}`);
    const read = await app.call('GET', `/v1/pets/${id}`);
    expect(read.body).toEqual(created.body);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
  });

  it.each([
    ['available', { quantity: 1, available: 1 }],
    ['pending', { quantity: 1, available: 1 }],
    ['sold', { quantity: 0, available: 0 }],
  ])('opens the stock of a pet created as %s', async (status, stock) => {
    const { body: pet } = await create({ name: 'Max', categoryId: 1, status });
    expect(pet.status).toBe(status);
    const { body: item } = await app.call('GET', `/v1/inventory/${pet.id}`);
    expect(item).toEqual({ petId: pet.id, reserved: 0, status, ...stock });
  });

  it('never reuses an id', async () => {
    const first = await create({ name: 'Twin', categoryId: 1 });
    const second = await create({ name: 'Twin', categoryId: 1, id: first.body.id });
    expect(second.body.id).toBeGreaterThan(first.body.id);
    await app.call('DELETE', `/v1/pets/${second.body.id}`);
    const third = await create({ name: 'Twin', categoryId: 1 });
    expect(third.body.id).toBeGreaterThan(second.body.id);
  });

  it('names categoryId when the category is absent or foreign', async () => {
    const key = await app.addWorkspace();
    const foreign = await app.call('POST', '/v1/categories', { key, body: { name: 'Cats' } });
    const count = async () => (await app.call('GET', '/v1/pets?limit=100')).body.length;
    const before = await count();
    const answers = [];
    for (const categoryId of [foreign.body.id, 424_242, Number.MAX_SAFE_INTEGER]) {
      const answer = await create({ name: 'Rex', categoryId });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe('categoryId');
      answers.push(answer.text.replace(answer.body.requestId, ''));
    }
    expect(new Set(answers).size).toBe(1);
    expect(await count()).toBe(before);
  });

  it('names every field that is missing', async () => {
    const answer = await create({});
    const fields = answer.body.details.map(({ field }: { field: string }) => field);
    expect(fields.sort()).toEqual(['categoryId', 'name']);
  });
});
