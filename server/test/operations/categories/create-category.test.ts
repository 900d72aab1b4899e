import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('createCategory', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  const create = (body: unknown, key?: string) =>
    app.call('POST', '/v1/categories', key ? { body, key } : { body });

  it('creates a category, with its Location', async () => {
    const answer = await create({ name: ' Dogs ', description: ' Loud. ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id: 1, name: 'Dogs', description: ' Loud. ' });
    expect(answer.headers.get('location')).toBe('/v1/categories/1');
    const read = await app.call('GET', '/v1/categories/1');
    expect(read.text).toBe(answer.text);
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  it('leaves a description that was not given out of the answer', async () => {
    const { text } = await create({ name: 'Cats' });
    expect(text).toBe('{"id":2,"name":"Cats"}');
    expectError(await create({ name: 'Birds', description: null }), 'invalid_request');
  });

  it('keeps an empty description and one of 2,000 characters', async () => {
    expect((await create({ name: 'Empty', description: '' })).body.description).toBe('');
    const long = '🐶'.repeat(2_000);
    expect((await create({ name: 'Long', description: long })).body.description).toBe(long);
    expectError(await create({ name: 'Longer', description: `${long}.` }), 'invalid_request');
    expectError(await create({ name: 'Lines', description: 'a\nb' }), 'invalid_request');
  });

  it.each([
    ['in capitals', 'Reptiles', 'REPTILES'],
    ['with space around it', 'Birds', '  Birds '],
    ['composed otherwise', 'Pok\u00e9mon', 'Poke\u0301mon'],
    ['beyond ASCII', 'ÄRGER', 'ärger'],
    ['in Greek', 'ΣΑΣ', 'σας'],
    ['beyond the basic plane', '𐐀', '𐐨'],
  ])('refuses a name that is taken: %s', async (_, name, same) => {
    expect((await create({ name })).status).toBe(201);
    expectError(await create({ name: same }), 'category_name_taken');
    const found = await app.call('GET', `/v1/categories?name=${encodeURIComponent(name)}`);
    expect(found.body).toHaveLength(1);
    expect(found.body[0].name).toBe(name);
  });

  it('accepts names that only look alike', async () => {
    for (const name of ['Strasse', 'Straße', 'I', 'ı', 'fi', 'ﬁ', 'a', 'а']) {
      expect((await create({ name })).status, name).toBe(201);
    }
  });

  it('allows the same name in another workspace', async () => {
    const key = await app.addWorkspace();
    expect((await create({ name: 'Dogs' }, key)).status).toBe(201);
  });

  it('succeeds for one of many with the same name', async () => {
    const names = Array.from({ length: 10 }, (_, i) => (i % 2 ? 'Race' : 'RACE'));
    const answers = await Promise.all(names.map((name) => create({ name })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(9).fill(409)]);
  });

  it('allows the name of a deleted category again', async () => {
    const { body } = await create({ name: 'Fish' });
    await app.call('DELETE', `/v1/categories/${body.id}`);
    const again = await create({ name: 'fish' });
    expect(again.status).toBe(201);
    expect(again.body.id).toBeGreaterThan(body.id);
  });
});
