import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
});

const row = (name: string, reference?: string, more: object = {}) => {
  return { name, categoryId: 1, ...(reference ? { reference } : {}), ...more };
};
const batch = (pets: unknown[], options: object = {}, query = '') =>
  app.call('POST', `/v1/pets/batch${query}`, { body: { pets, ...options } });
const update = { onReference: 'update' };
const find = async (reference: string) =>
  (await app.call('GET', `/v1/pets?reference=${reference}`)).body[0];

describe('createPets with references', () => {
  it('creates what is new, updates what is there, and says which is which', async () => {
    await batch([row('Rex', 'A-1', { metadata: { shelf: 'B' } }), row('Tom', 'A-2')]);
    const { body, status } = await batch(
      [
        row('Rexona', 'A-1', { metadata: { row: '7' } }),
        row('Tom', 'A-2'),
        row('New', 'A-3'),
        row('None'),
      ],
      update,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ created: 2, updated: 2, refused: 0 });
    const { results } = body;
    expect(results.map((each: { updated?: true }) => each.updated)).toEqual([
      true,
      true,
      undefined,
      undefined,
    ]);
    expect(results[0].pet).toMatchObject({
      name: 'Rexona',
      reference: 'A-1',
      metadata: { shelf: 'B', row: '7' },
    });
    expect(await find('A-1')).toEqual(results[0].pet);
    expect(await find('A-3')).toEqual(results[2].pet);
    expect((await app.call('GET', '/v1/pets?q=rexo')).body).toEqual([results[0].pet]);
    const again = await batch([row('Rexona', 'A-1'), row('New', 'A-3')], update);
    expect(again.body).toMatchObject({ created: 0, updated: 2 });
    const { body: events } = await app.call('GET', '/v1/events?limit=100');
    const updated = events.filter(({ type }: { type: string }) => type === 'pet.updated');
    expect(updated.map(({ before }: { before: object }) => before)).toEqual([
      { name: 'Rex', metadata: { shelf: 'B' } },
    ]);
  });

  it('refuses a taken reference without it: the batch, or the row', async () => {
    const { id } = (await app.call('POST', '/v1/pets', { body: row('Rex', 'B-1') })).body;
    const all = await batch([row('Max', 'B-2'), row('Tom', 'B-1')]);
    expectError(all, 'reference_taken');
    expect(all.body.details).toEqual({ petId: id, reference: 'B-1', index: 1 });
    expect(await find('B-2')).toBeUndefined();
    const each = await batch([row('Max', 'B-2'), row('Tom', 'B-1')], { mode: 'each' });
    expect(each.body).toMatchObject({ created: 1, updated: 0, refused: 1 });
    expect(each.body.results[1].errors).toEqual([
      { field: 'reference', message: `is the reference of pet ${id}` },
    ]);
    expect((await find('B-1')).name).toBe('Rex');
  });

  it.each([{}, update])('refuses the second row with a reference, with %o', async (options) => {
    const reference = `C-${'onReference' in options}`;
    const rows = [row('Rex', reference), row('Max', ` ${reference} `)];
    const all = await batch(rows, options);
    expectError(all, 'invalid_request');
    expect(all.body.details).toEqual([
      { field: 'pets.1.reference', message: 'is the same as in pets.0' },
    ]);
    expect(await find(reference)).toBeUndefined();
    const each = await batch(rows, { ...options, mode: 'each' });
    expect(each.body).toMatchObject({ created: 1, refused: 1 });
    expect((await find(reference)).name).toBe('Rex');
  });

  it('refuses a status that a pet cannot have: the batch, or the row', async () => {
    await batch([row('Rex', 'D-1', { status: 'sold' }), row('Max', 'D-2')]);
    const rows = [row('Max II', 'D-2'), row('Rex', 'D-1', { status: 'available' })];
    const all = await batch(rows, update);
    expectError(all, 'invalid_status_change');
    expect(all.body.details.index).toBe(1);
    expect((await find('D-2')).name).toBe('Max');
    const each = await batch(rows, { ...update, mode: 'each' });
    expect(each.body).toMatchObject({ created: 0, updated: 1, refused: 1 });
    expect(each.body.results[1].errors).toMatchObject([{ field: 'status' }]);
    expect((await find('D-2')).name).toBe('Max II');
  });

  it('names the metadata that would be too many pairs together with those of the pet', async () => {
    const pairs = Array.from({ length: 20 }, (_, nth) => [`k${nth}`, 'v'] as const);
    await batch([row('Rex', 'G-1', { metadata: Object.fromEntries(pairs) })]);
    const rows = [row('New', 'G-2'), row('Rex', 'G-1', { metadata: { more: 'v' } })];
    const message = 'must have at most 20 pairs';
    const all = await batch(rows, update);
    expectError(all, 'invalid_request');
    expect(all.body.details).toEqual([{ field: 'pets.1.metadata', message }]);
    expect(await find('G-2')).toBeUndefined();
    const each = await batch(rows, { ...update, mode: 'each' });
    expect(each.body.results[1]).toEqual({ errors: [{ field: 'metadata', message }] });
    expect(each.body).toMatchObject({ created: 1, updated: 0, refused: 1 });
  });

  it('takes update alone, and keeps nothing of a dry run', async () => {
    expectError(await batch([row('Rex', 'E-1')], { onReference: 'ignore' }), 'invalid_request');
    const dry = await batch([row('Rex', 'E-1')], update, '?dryRun=true');
    expect(dry.body).toEqual({ created: 1, updated: 0, refused: 0, results: [{}] });
    expect(await find('E-1')).toBeUndefined();
  });

  it('makes one pet for each reference when batches run at once', async () => {
    const rows = Array.from({ length: 20 }, (_, nth) => row(`Pet ${nth}`, `F-${nth}`));
    const answers = await Promise.all(
      [rows, rows.toReversed(), rows, rows.toReversed()].map((each) => batch(each, update)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const created = answers.reduce((sum, { body }) => sum + body.created, 0);
    expect(created).toBe(20);
    expect((await app.call('GET', '/v1/pets?q=pet&limit=100')).body).toHaveLength(20);
  });
});
