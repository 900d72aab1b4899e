import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/categories', { body: { name: 'Cats' } });
});

const rex = { name: 'Rex', categoryId: 1 };
const put = (reference: string, body: unknown = rex, query = '', options = {}) =>
  app.call('PUT', `/v1/pets/by-reference/${encodeURIComponent(reference)}${query}`, {
    body,
    ...options,
  });
const create = (body: object) => app.call('POST', '/v1/pets', { body: { ...rex, ...body } });
const find = async (...references: string[]) => {
  const query = references.map((each) => `reference=${encodeURIComponent(each)}`).join('&');
  return (await app.call('GET', `/v1/pets?${query}`)).body;
};

describe('putPetByReference', () => {
  it('creates the pet, then changes it, then leaves it as it is', async () => {
    const created = await put('A-1', { ...rex, metadata: { shelf: 'B' } });
    expect(created.status, created.text).toBe(201);
    const { id } = created.body;
    expect(created.body).toEqual({
      id,
      ...rex,
      status: 'available',
      reference: 'A-1',
      metadata: { shelf: 'B' },
    });
    expect(created.headers.get('location')).toBe(`/v1/pets/${id}`);
    const changed = await put('A-1', { name: 'Max', categoryId: 2, metadata: { row: '7' } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      id,
      name: 'Max',
      categoryId: 2,
      status: 'available',
      reference: 'A-1',
      metadata: { shelf: 'B', row: '7' },
    });
    const again = await put('A-1', { name: 'Max', categoryId: 2 });
    expect([again.status, again.body]).toEqual([200, changed.body]);
    expect(again.headers.get('etag')).toBe(changed.headers.get('etag'));
    const { body: events } = await app.call('GET', '/v1/events?limit=100');
    const types = events
      .filter(({ data }: { data: { pet?: { id: number } } }) => data.pet?.id === id)
      .map(({ type }: { type: string }) => type);
    expect(types).toEqual(['pet.created', 'pet.updated']);
  });

  it('changes the status as a patch does, and refuses one that the pet cannot have', async () => {
    await put('S-1', { ...rex, status: 'sold' });
    expectError(await put('S-1', { ...rex, status: 'available' }), 'invalid_status_change');
    expect((await put('S-1', rex)).body.status).toBe('sold');
  });

  it('takes a reference in the body that is absent or the same', async () => {
    expect((await put('B-1', { ...rex, reference: ' B-1 ' })).status).toBe(201);
    const other = await put('B-1', { ...rex, reference: 'b-1' });
    expectError(other, 'invalid_request');
    expect(other.body.details[0].field).toBe('reference');
    expect(await find('b-1')).toEqual([]);
  });

  it('takes any text of 1 to 100 characters as a reference, with case, and trims it', async () => {
    for (const reference of ['a/b?c#d%', '犬 1', 'x'.repeat(100), 'Ab', 'aB', '__proto__']) {
      const { status, body } = await put(reference);
      expect([status, body.reference]).toEqual([201, reference]);
    }
    expect((await put(' Ab ')).status).toBe(200);
    for (const reference of [' ', 'x'.repeat(101), 'a\nb', 'Ab\n']) {
      expectError(await put(reference), 'invalid_request');
    }
  });

  it('refuses an unknown category and a body that is no pet, and changes nothing', async () => {
    for (const body of [{ name: 'Rex', categoryId: 99 }, { name: 'Rex' }, { ...rex, x: 1 }]) {
      expectError(await put('C-1', body), 'invalid_request');
    }
    expect(await find('C-1')).toEqual([]);
    await put('C-1');
    expectError(await put('C-1', { name: 'Max', categoryId: 99 }), 'invalid_request');
    expect(await find('C-1')).toMatchObject([{ name: 'Rex' }]);
  });

  it('refuses null, which only a patch takes, and names the field', async () => {
    await put('N-1', { ...rex, lowStockAt: 3, metadata: { shelf: 'B' } });
    for (const [field, body] of Object.entries({
      lowStockAt: { ...rex, lowStockAt: null },
      metadata: { ...rex, metadata: null },
      'metadata.shelf': { ...rex, metadata: { shelf: null } },
    })) {
      const refused = await put('N-1', body);
      expectError(refused, 'invalid_request');
      expect(refused.body.details[0].field).toBe(field);
    }
    expect(await find('N-1')).toMatchObject([{ lowStockAt: 3, metadata: { shelf: 'B' } }]);
  });

  it('answers a dry run as it would, and keeps nothing', async () => {
    const dry = await put('D-1', rex, '?dryRun=true');
    expect([dry.status, dry.body]).toEqual([
      201,
      { ...rex, status: 'available', reference: 'D-1' },
    ]);
    expect(await find('D-1')).toEqual([]);
    const { body: pet } = await put('D-1');
    const change = await put('D-1', { ...rex, name: 'Max' }, '?dryRun=true');
    expect([change.status, change.body]).toEqual([200, { ...pet, name: 'Max' }]);
    expect(await find('D-1')).toEqual([pet]);
  });

  it('with If-None-Match: * only creates', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await put('ONLY-1', rex, '', { headers })).status).toBe(201);
    const again = await put('ONLY-1', { ...rex, name: 'Max' }, '', { headers });
    expectError(again, 'precondition_failed');
    expect(again.body.message).toContain('If-None-Match');
    expect(await find('ONLY-1')).toMatchObject([{ name: 'Rex' }]);
  });

  it('refuses a stale If-Match, also where there is no pet, and changes nothing', async () => {
    const onlyIf = (etag: string, body: object) =>
      put('M-1', { ...rex, ...body }, '', { headers: { 'if-match': etag } });
    const none = await onlyIf('*', {});
    expectError(none, 'precondition_failed');
    expect(none.body.message).not.toContain('names no ETag');
    expect(await find('M-1')).toEqual([]);
    const etag = (await put('M-1')).headers.get('etag')!;
    expect((await onlyIf(etag, { name: 'Max' })).status).toBe(200);
    expectError(await onlyIf(etag, { name: 'Tom' }), 'precondition_failed');
    expect(await find('M-1')).toMatchObject([{ name: 'Max' }]);
  });

  it('makes one pet for many clients at once, and each of them gets it', async () => {
    for (const reference of ['R-1', 'R-2', 'R-3']) {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, nth) =>
          nth % 2 === 0
            ? put(reference, rex)
            : put(reference, rex, '', { headers: { 'idempotency-key': `${reference}-${nth}` } }),
        ),
      );
      const statuses = answers.map(({ status, body }) => body.message ?? status).toSorted();
      expect(statuses).toEqual([...Array(29).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await find(reference)).toHaveLength(1);
    }
  });
});

describe('the reference of a pet', () => {
  it('is free again once its pet is deleted', async () => {
    const { id } = (await create({ reference: 'F-1' })).body;
    await app.call('DELETE', `/v1/pets/${id}`);
    expect(await find('F-1')).toEqual([]);
    const again = await put('F-1');
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
    await app.call('DELETE', `/v1/pets/${again.body.id}`);
    expect((await create({ reference: 'F-1' })).status).toBe(201);
  });

  it('is refused if another pet has it, which the error names', async () => {
    const { id } = (await create({ reference: 'T-1' })).body;
    const taken = await create({ reference: ' T-1 ' });
    expectError(taken, 'reference_taken');
    expect(taken.body.details).toEqual({ petId: id, reference: 'T-1' });
    expect(taken.body.message).toContain(`Pet ${id}`);
    const other = (await create({ reference: 't-1' })).body;
    const patched = await app.call('PATCH', `/v1/pets/${other.id}`, { body: { reference: 'T-1' } });
    expectError(patched, 'reference_taken');
    expect(patched.body.details.petId).toBe(id);
    const neighbour = await app.addWorkspace();
    const dogs = await app.call('POST', '/v1/categories', { key: neighbour, body: { name: 'D' } });
    const body = { name: 'Rex', categoryId: dogs.body.id, reference: 'T-1' };
    expect((await app.call('POST', '/v1/pets', { key: neighbour, body })).status).toBe(201);
    expectError(await create({ reference: 'T-1', categoryId: 99 }), 'reference_taken');
    expectError(await create({ reference: 'T-9', categoryId: 99 }), 'invalid_request');
  });

  it('is set, changed and cleared by a patch, and its events tell', async () => {
    const { id } = (await create({})).body;
    const patch = (reference: unknown) =>
      app.call('PATCH', `/v1/pets/${id}`, { body: { reference } });
    expect((await patch('P-1')).body.reference).toBe('P-1');
    expect((await patch(' P-1 ')).status).toBe(200);
    expect((await patch('P-2')).body.reference).toBe('P-2');
    expect((await patch(null)).body).not.toHaveProperty('reference');
    for (const wrong of ['', '  ', 'x'.repeat(101), 'a\u0000', 7]) {
      expectError(await patch(wrong), 'invalid_request');
    }
    const { body: events } = await app.call('GET', '/v1/events?limit=100');
    const before = events
      .filter(({ type, data }: { type: string; data: { pet?: { id: number } } }) => {
        return type === 'pet.updated' && data.pet?.id === id;
      })
      .map((event: { before: object }) => event.before);
    expect(before).toEqual([{ reference: null }, { reference: 'P-1' }, { reference: 'P-2' }]);
    expect((await create({ reference: 'P-1' })).status).toBe(201);
  });

  it('lists up to 100 pets by their references, exactly as they are written', async () => {
    const references = Array.from({ length: 100 }, (_, nth) => `L-${nth}`);
    for (const reference of references.slice(0, 60)) await create({ reference });
    const found = await find(...references, 'l-1');
    expectError(await app.call('GET', `/v1/pets?${'reference=x&'.repeat(101)}`), 'invalid_request');
    expect(found.code).toBe('invalid_request');
    const listed = await find(...references);
    expect(listed.map(({ reference }: { reference: string }) => reference)).toEqual(
      references.slice(0, 60),
    );
    expect(await find('l-1', 'L-1 ')).toEqual([]);
    const [first, second] = listed;
    const both = await app.call('GET', `/v1/pets?reference=L-0&reference=L-1&id=${second.id}`);
    expect(both.body).toEqual([second]);
    const named = await app.call('GET', '/v1/pets?reference=L-0&status=sold');
    expect(named.body).toEqual([]);
    expect((await app.call('GET', '/v1/pets?reference=L-0&q=rex')).body).toEqual([first]);
  });
});
