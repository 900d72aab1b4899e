import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('getCategory', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
    const body = { name: 'Dogs', description: 'Loud.' };
    await app.call('POST', '/v1/categories', { body });
  });

  it('returns exactly the fields of a category', async () => {
    const { text } = await app.call('GET', '/v1/categories/1');
    expect(text).toBe('{"id":1,"name":"Dogs","description":"Loud."}');
  });

  it('returns texts unchanged, whatever they contain', async () => {
    const texts = [
      '<img src=x onerror=alert(1)>',
      '"quoted" \\ and /',
      "Robert'); DROP TABLE pets;--",
    ];
    for (const name of [
      ...texts,
      'a\u2028b',
      '👨‍👩‍👧‍👦',
      'e\u0301',
      '\u202eevil',
      '\uffff',
      '%00',
    ]) {
      const { body } = await app.call('POST', '/v1/categories', { body: { name } });
      const read = await app.call('GET', `/v1/categories/${body.id}`);
      expect(read.body).toEqual({ id: body.id, name });
    }
  });

  it('finds no category that was deleted', async () => {
    const { body } = await app.call('POST', '/v1/categories', { body: { name: 'Cats' } });
    await app.call('DELETE', `/v1/categories/${body.id}`);
    expectError(await app.call('GET', `/v1/categories/${body.id}`), 'not_found');
  });
});
