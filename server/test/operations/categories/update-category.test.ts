import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('updateCategory', () => {
  let app: TestApp;
  let path: string;
  let count = 0;
  beforeAll(async () => {
    app = await testApp();
    await app.call('POST', '/v1/categories', { body: { name: 'Taken' } });
  });
  beforeEach(async () => {
    count += 1;
    const body = { name: `Dogs ${count}`, description: 'Loud.' };
    path = `/v1/categories/${(await app.call('POST', '/v1/categories', { body })).body.id}`;
  });
  const patch = (body: unknown) => app.call('PATCH', path, { body });
  const read = async () => (await app.call('GET', path)).body;

  it('changes the fields it is given and no others', async () => {
    const before = await read();
    const answer = await patch({ description: 'Quiet.' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, description: 'Quiet.' });
    expect(await read()).toEqual(answer.body);
    expect((await patch({ name: ' Hounds ' })).body).toEqual({ ...answer.body, name: 'Hounds' });
  });

  it('clears the description with null, and only that', async () => {
    const { id, name } = await read();
    expect((await patch({ description: null })).body).toEqual({ id, name });
    expect(await read()).toEqual({ id, name });
    expect((await patch({ description: null })).body).toEqual({ id, name });
    const answer = await patch({ name: null });
    expectError(answer, 'invalid_request');
    expect(answer.body.details[0].field).toBe('name');
  });

  it('changes nothing for an empty patch', async () => {
    const before = await read();
    expect((await patch({})).body).toEqual(before);
  });

  it('keeps the name it has, also in other capitals', async () => {
    const { name } = await read();
    expect((await patch({ name })).status).toBe(200);
    expect((await patch({ name: name.toUpperCase() })).body.name).toBe(name.toUpperCase());
  });

  it('refuses a name that another has, and changes nothing', async () => {
    const before = await read();
    const answer = await patch({ name: 'TAKEN', description: 'Quiet.' });
    expectError(answer, 'category_name_taken');
    expect(await read()).toEqual(before);
  });

  it('is written as plain JSON or as a merge patch', async () => {
    const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
    const answer = await app.call('PATCH', path, { body: '{"description":"Calm."}', headers });
    expect(answer.body.description).toBe('Calm.');
  });
});
