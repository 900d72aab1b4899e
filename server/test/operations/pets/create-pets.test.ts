import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

describe('createPets', () => {
  let app: TestApp;
  let categoryId: number;
  const batch = (body: unknown, options = {}) =>
    app.call('POST', '/v1/pets/batch', { body, ...options });
  const pets = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `Pet ${n % 7}`, categoryId }));

  beforeAll(async () => {
    app = await testApp({ limits: { perMinute: 40, perDay: 1_000 } });
    categoryId = (await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } })).body.id;
  });

  it('creates all rows in order, with stock and ledger, for one request per 100', async () => {
    const before = await remaining();
    const rows = [{ name: ' Rex ', categoryId, status: 'sold' }, ...pets(249)];
    const answer = await batch({ pets: rows });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ created: 250, refused: 0 });
    expect(answer.body.results[0].pet).toMatchObject({ name: 'Rex', status: 'sold' });
    const names = answer.body.results.map(({ pet }: { pet: { name: string } }) => pet.name);
    expect(names.slice(1)).toEqual(pets(249).map(({ name }) => name));
    const ids = answer.body.results.map(({ pet }: { pet: { id: number } }) => pet.id);
    expect(new Set(ids).size).toBe(250);
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBe(before - 3);
    const ledger = await app.call('GET', `/v1/inventory/${ids[5]}/movements`);
    expect(ledger.body).toMatchObject([{ cause: 'created', quantityAfter: 1 }]);
  });

  it('refuses the whole batch for one bad row, and names every fault', async () => {
    const rows = [...pets(2), { name: '', categoryId }, { name: 'Lost', categoryId: 999_999 }];
    const answer = await batch({ pets: rows });
    expect(answer.status).toBe(400);
    const fields = answer.body.details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(['pets.2.name', 'pets.3.categoryId']));
    expect((await app.call('GET', '/v1/pets?name=lost')).body).toEqual([]);
    const { details } = (await batch({ pets: [...pets(1), 7] })).body;
    expect(details).toEqual([{ field: 'pets.1', message: expect.any(String) }]);
  });

  it('skips invalid rows in mode each, and reports their errors', async () => {
    const rows = [{ name: 'Kept', categoryId }, { name: 'Lost', categoryId: 999_999 }, 7];
    const answer = await batch({ pets: rows, mode: 'each' });
    expect(answer.body).toMatchObject({ created: 1, refused: 2 });
    expect(answer.body.results[0].pet.name).toBe('Kept');
    expect(answer.body.results[1].errors).toMatchObject([{ field: 'categoryId' }]);
    expect(answer.body.results[2].errors).toHaveLength(1);
  });

  it('names the row and the field of a number that is not written as a whole one', async () => {
    const rows = [
      { name: 'Kept', categoryId, id: 1.5 },
      { name: 'Lost', categoryId: 1.5 },
    ];
    const each = await batch({ pets: rows, mode: 'each' });
    expect(each.body).toMatchObject({ created: 1, refused: 1 });
    const message = 'must be a whole number written without fraction or exponent';
    expect(each.body.results[1].errors).toEqual([{ field: 'categoryId', message }]);
    const all = await batch({ pets: rows });
    expectError(all, 'invalid_request');
    expect(all.body.details).toEqual([{ field: 'pets.1.categoryId', message }]);
  });

  it('refuses an empty batch, one of 1,001 rows and an unknown mode', async () => {
    for (const body of [{ pets: [] }, { pets: pets(1_001) }, { pets: pets(1), mode: 'some' }]) {
      expect((await batch(body)).status).toBe(400);
    }
  });

  it('replays the stored result and creates nothing', async () => {
    const headers = { 'idempotency-key': 'batch' };
    const first = await batch({ pets: pets(3) }, { headers });
    const again = await batch({ pets: pets(3) }, { headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
  });

  it('refuses a batch that costs more than remains, and creates nothing', async () => {
    let left = await remaining();
    while (left > 5) left = await remaining();
    const answer = await batch({ pets: pets(1_000) });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(left));
  });

  async function remaining(): Promise<number> {
    const answer = await app.call('GET', '/v1/workspace');
    return Number(answer.headers.get('x-ratelimit-remaining'));
  }
});
