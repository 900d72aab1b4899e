import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('deleteCategory', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  const create = async (name: string) =>
    (await app.call('POST', '/v1/categories', { body: { name } })).body.id as number;
  const addPet = async (categoryId: number) =>
    (await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId } })).body.id as number;
  const remove = (id: number) => app.call('DELETE', `/v1/categories/${id}`);

  it('deletes a category without pets, once', async () => {
    const id = await create('Empty');
    const answer = await remove(id);
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expectError(await remove(id), 'not_found');
  });

  it('refuses while the category has pets, and changes nothing', async () => {
    const id = await create('Dogs');
    const petId = await addPet(id);
    expectError(await remove(id), 'category_in_use');
    expect((await app.call('GET', `/v1/categories/${id}`)).status).toBe(200);
    expect((await app.call('GET', `/v1/pets/${petId}`)).body.categoryId).toBe(id);
  });

  it('does not mind pets that were deleted or moved away', async () => {
    const id = await create('Cats');
    const other = await create('Other');
    await app.call('DELETE', `/v1/pets/${await addPet(id)}`);
    await app.call('PATCH', `/v1/pets/${await addPet(id)}`, { body: { categoryId: other } });
    expect((await remove(id)).status).toBe(204);
  });

  it('never leaves a pet without its category, in any order of the two requests', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await create(`Race ${round}`);
      const [removed, added] = await Promise.all([
        remove(id),
        app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: id } }),
      ]);
      expect([`${removed.status} ${added.status}`]).toEqual([
        expect.stringMatching(/^(204 400|409 201)$/),
      ]);
    }
  });
});
