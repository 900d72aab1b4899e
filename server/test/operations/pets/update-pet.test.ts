import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

describe('updatePet', () => {
  let app: TestApp;
  let pet: Pet;
  beforeAll(async () => {
    app = await testApp();
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    await app.call('POST', '/v1/categories', { body: { name: 'Cats' } });
  });
  beforeEach(async () => {
    pet = (await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).body;
  });
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    app.call('PATCH', `/v1/pets/${pet.id}`, { body, headers });
  const read = async () => (await app.call<Pet>('GET', `/v1/pets/${pet.id}`)).body;

  it('changes the fields it is given and no others', async () => {
    const answer = await patch({ name: '  Max ' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...pet, name: 'Max' });
    expect((await patch({ categoryId: 2 })).body).toEqual({ ...pet, name: 'Max', categoryId: 2 });
    expect(await read()).toEqual({ ...pet, name: 'Max', categoryId: 2 });
  });

  it('changes nothing for an empty patch, and returns the record', async () => {
    const before = await app.call('GET', `/v1/pets/${pet.id}`);
    const answer = await patch({});
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(pet);
    expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
  });

  it('ignores an id', async () => {
    for (const id of [424_242, '1', null]) {
      expect((await patch({ id, name: 'Rex' })).body).toEqual(pet);
    }
    expectError(await app.call('GET', '/v1/pets/424242'), 'not_found');
  });

  it('accepts null only for an optional field', async () => {
    expect((await patch({ status: null })).body).toEqual(pet);
    for (const field of ['name', 'categoryId']) {
      const answer = await patch({ [field]: null });
      expectError(answer, 'invalid_request');
      expect(answer.body.details[0].field).toBe(field);
    }
    expect(await read()).toEqual(pet);
  });

  it('changes nothing when one of its fields is wrong', async () => {
    expectError(await patch({ name: 'Max', categoryId: 424_242 }), 'invalid_request');
    expectError(await patch({ name: 'Max', status: 'gone' }), 'invalid_request');
    expectError(await patch({ name: 'Max', colour: 'red' }), 'invalid_request');
    expect(await read()).toEqual(pet);
  });

  it('names categoryId when the category is foreign or absent', async () => {
    const key = await app.addWorkspace();
    const foreign = await app.call('POST', '/v1/categories', { key, body: { name: 'Birds' } });
    const answers = [
      await patch({ categoryId: foreign.body.id }),
      await patch({ categoryId: 99_999 }),
    ];
    for (const answer of answers) expectError(answer, 'invalid_request');
    const [first, second] = answers.map(({ text, body }) => text.replace(body.requestId, ''));
    expect(first).toBe(second);
    expect(await read()).toEqual(pet);
  });

  it('refuses an impossible status, and changes nothing else then', async () => {
    await patch({ status: 'sold' });
    for (const status of ['pending', 'available']) {
      expectError(await patch({ name: 'Max', status }), 'invalid_status_change');
    }
    expect(await read()).toEqual({ ...pet, status: 'sold' });
    expect((await patch({ status: 'sold' })).status).toBe(200);
  });

  it('puts a pet on hold and lifts it again', async () => {
    expect((await patch({ status: 'pending' })).body.status).toBe('pending');
    const order = { petId: pet.id };
    expectError(await app.call('POST', '/v1/store/orders', { body: order }), 'pet_on_hold');
    expect((await patch({ status: 'available' })).body.status).toBe('available');
  });

  it('finds no pet that was deleted', async () => {
    await app.call('DELETE', `/v1/pets/${pet.id}`);
    expectError(await patch({ name: 'Max' }), 'not_found');
  });

  it('succeeds with the current ETag, and without one', async () => {
    const { headers } = await app.call('GET', `/v1/pets/${pet.id}`);
    const etag = headers.get('etag')!;
    const changed = await patch({ name: 'Max' }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    expectError(await patch({ name: 'Moe' }, { 'if-match': etag }), 'precondition_failed');
    const next = changed.headers.get('etag')!;
    expect((await patch({ name: 'Moe' }, { 'if-match': `"x", ${next}` })).status).toBe(200);
    expect((await patch({ name: 'Mia' }, { 'if-match': '*' })).status).toBe(200);
    expect((await read()).name).toBe('Mia');
  });

  it('succeeds for one of many writers with the same ETag', async () => {
    const { headers } = await app.call('GET', `/v1/pets/${pet.id}`);
    const condition = { 'if-match': headers.get('etag')! };
    const names = Array.from({ length: 10 }, (_, i) => `Winner ${i}`);
    const answers = await Promise.all(names.map((name) => patch({ name }, condition)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
    expect(await read()).toEqual(won[0]!.body);
  });
});
