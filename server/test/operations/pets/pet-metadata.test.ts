import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

let app: TestApp;
const log: string[] = [];
beforeAll(async () => {
  app = await testApp({ lines: log });
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

const raw = (metadata: string) => `{"name":"Rex","categoryId":1,"metadata":${metadata}}`;
const create = (metadata: unknown) =>
  app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1, metadata } });
const patch = (id: number, metadata: unknown) =>
  app.call('PATCH', `/v1/pets/${id}`, { body: { metadata } });
const read = async (id: number) => (await app.call('GET', `/v1/pets?id=${id}`)).body[0];
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, `${at}`]));

describe('metadata of pets', () => {
  it('is stored as it was given, and absent where there is none', async () => {
    for (const metadata of [{ shelf: 'B-12' }, { 'a.b_c-D': '', x: '日本 "q" \\' }, pairs(20)]) {
      const { status, body } = await create(metadata);
      expect(status).toBe(201);
      expect(body.metadata).toEqual(metadata);
      expect((await read(body.id)).metadata).toEqual(metadata);
    }
    const { body } = await create({});
    expect('metadata' in body).toBe(false);
    expect('metadata' in (await read(body.id))).toBe(false);
  });

  it('takes __proto__ for a key like any other', async () => {
    const text = '{"__proto__":"p","constructor":"c","prototype":"t"}';
    const { status, text: answer } = await app.call('POST', '/v1/pets', { body: raw(text) });
    expect(status, answer).toBe(201);
    expect(answer).toContain(`"metadata":${text}`);
    const { id } = JSON.parse(answer);
    const removed = await app.call('PATCH', `/v1/pets/${id}`, {
      body: '{"metadata":{"__proto__":null,"constructor":"d"}}',
    });
    expect(removed.text).toContain('"metadata":{"constructor":"d","prototype":"t"}');
    const outside = '{"name":"Rex","categoryId":1,"metadata":{"a":"b"},"__proto__":{}}';
    expectError(await app.call('POST', '/v1/pets', { body: outside }), 'invalid_request');
  });

  it('is merged by key: null removes a pair, {} changes nothing, and null removes all', async () => {
    const { id } = (await create({ a: '1', b: '2' })).body;
    expect((await patch(id, { b: null, c: '3' })).body.metadata).toEqual({ a: '1', c: '3' });
    const before = await app.call('GET', `/v1/pets/${id}`);
    expect((await patch(id, {})).body).toEqual(before.body);
    expect((await patch(id, { missing: null })).body).toEqual(before.body);
    const renamed = await app.call('PATCH', `/v1/pets/${id}`, { body: { name: 'Max' } });
    expect(renamed.body.metadata).toEqual({ a: '1', c: '3' });
    expect((await patch(id, null)).body).not.toHaveProperty('metadata');
    expect(await read(id)).not.toHaveProperty('metadata');
  });

  it.each([
    ['a value that is no text', { a: 1 }, 'metadata.a'],
    ['null in a new pet', { a: null }, 'metadata.a'],
    ['a long value', { a: 'x'.repeat(201) }, 'metadata.a'],
    ['a control character', { a: 'x\ny' }, 'metadata.a'],
    ['an empty key', { '': 'x' }, 'metadata.""'],
    ['a long key', { ['k'.repeat(41)]: 'x' }, `metadata.${'k'.repeat(41)}`],
    ['a key with a space', { 'a b': 'x' }, 'metadata.a b'],
    ['21 pairs', pairs(21), 'metadata'],
    ['a list', ['a'], 'metadata'],
    ['a text', 'a', 'metadata'],
    ['null', null, 'metadata'],
  ])('refuses %s and names the field', async (_, metadata, field) => {
    const answer = await create(metadata);
    expectError(answer, 'invalid_request');
    expect(answer.body.details[0].field).toBe(field);
  });

  it('refuses a patch that would leave more than 20 pairs, and keeps what was there', async () => {
    const { id } = (await create(pairs(20))).body;
    const answer = await patch(id, { more: 'x' });
    expectError(answer, 'invalid_request');
    expect(answer.body.details).toEqual([
      { field: 'metadata', message: 'must have at most 20 pairs' },
    ]);
    expect((await read(id)).metadata).toEqual(pairs(20));
    expect((await patch(id, { k0: null, more: 'x' })).status).toBe(200);
  });

  it('is in the events, with what was before, and in a batch', async () => {
    const rows = [{ name: 'Rex', categoryId: 1, metadata: { shelf: 'A' } }];
    const batch = await app.call('POST', '/v1/pets/batch', { body: { pets: rows } });
    const [{ pet }] = batch.body.results;
    expect(pet.metadata).toEqual({ shelf: 'A' });
    await patch(pet.id, { shelf: 'B' });
    await patch(pet.id, null);
    const { body: events } = await app.call('GET', '/v1/events?limit=100');
    const own = events.filter(({ data }: { data: { pet?: object } }) => {
      return (data.pet as { id?: number } | undefined)?.id === pet.id;
    });
    expect(
      own.map((event: { data: { pet: { metadata?: object } }; before?: object }) => {
        return [event.data.pet.metadata, event.before];
      }),
    ).toEqual([
      [{ shelf: 'A' }, undefined],
      [{ shelf: 'B' }, { metadata: { shelf: 'A' } }],
      [undefined, { metadata: { shelf: 'B' } }],
    ]);
  });

  it('is in no line of the log and in no metric', async () => {
    await create({ 'key-nowhere': 'value-nowhere' });
    await create({ 'key-nowhere': 'value-nowhere\n' });
    const { text: metrics } = await app.call('GET', '/metrics');
    for (const text of [log.join('\n'), metrics]) {
      expect(text).not.toMatch(/key-nowhere|value-nowhere/);
      expect(text.length).toBeGreaterThan(100);
    }
  });
});
