import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';

interface Pet {
  id: number;
  name: string;
  categoryId: number;
  status: string;
}

let app: TestApp;
let neighbour: { key: string; petId: number; categoryId: number };
const pets: Pet[] = [];

beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/categories', { body: { name: 'Cats' } });
  const key = await app.addWorkspace();
  const category = await app.call('POST', '/v1/categories', { key, body: { name: 'Dogs' } });
  const categoryId = category.body.id;
  const hidden = await app.call('POST', '/v1/pets', { key, body: { name: 'Rex', categoryId } });
  neighbour = { key, petId: hidden.body.id, categoryId };
  await add('Rex', 1);
  await add('rexona', 1, 'sold');
  await add('REX II', 2, 'pending');
  await add('Été', 2);
  await add('100% good_boy', 1);
  await add('ΟΔΟΣΑ', 1);
  await add('Zoe', 2, 'sold');
});

async function add(name: string, categoryId: number, status = 'available') {
  pets.push((await app.call('POST', '/v1/pets', { body: { name, categoryId, status } })).body);
}
const list = (query: string) => app.call<Pet[]>('GET', `/v1/pets?${query}`);
const names = async (query: string) => (await list(query)).body.map(({ name }) => name);
const prefix = (name: string) => names(`name=${encodeURIComponent(name)}`);

describe('listPets', () => {
  it('lists the pets of the workspace, oldest first, and no others', async () => {
    expect((await list('')).body).toEqual(pets);
    expect((await list('sort=id')).body).toEqual(pets);
    expect((await list('sort=-id')).body).toEqual([...pets].reverse());
    expect((await list('&&limit=2&')).body).toEqual(pets.slice(0, 2));
  });

  it('filters by status', async () => {
    expect(await names('status=sold')).toEqual(['rexona', 'Zoe']);
    expect(await names('status=pending')).toEqual(['REX II']);
    expect(await names('status=available')).toEqual(['Rex', 'Été', '100% good_boy', 'ΟΔΟΣΑ']);
  });

  it('finds words of the name by their beginnings, without regard to case and accents', async () => {
    expect(await names('q=ete')).toEqual(['Été']);
    expect(await names('q=RE')).toEqual(['Rex', 'rexona', 'REX II']);
    expect(await names('q=ii%20rex&sort=-name')).toEqual(['REX II']);
    expect(await names('q=boy,good')).toEqual(['100% good_boy']);
    expect(await names('q=re&status=sold')).toEqual(['rexona']);
    expect(await names('q=re&name=rexo')).toEqual(['rexona']);
    expect(await names(`q=re&id=${pets[0]!.id}&id=${pets[3]!.id}`)).toEqual(['Rex']);
    expect(await names('q=ex')).toEqual([]);
  });

  it('pages through what it finds by words', async () => {
    const first = await list('q=re&limit=2');
    expect(first.body.map(({ name }) => name)).toEqual(['Rex', 'rexona']);
    const [, next] = /<\/v1\/pets\?([^>]*)>/.exec(first.headers.get('link')!)!;
    expect(await names(next!)).toEqual(['REX II']);
  });

  it('refuses a search without words, with more than 5, and with one of more than 50 characters', async () => {
    for (const q of ['', '%20', '%21%3F', 'a+b+c+d+e+f', 'x'.repeat(51), 'a%00']) {
      const answer = await list(`q=${q}`);
      expectError(answer, 'invalid_request');
      expect((answer.body as unknown as { details: object[] }).details).toMatchObject([
        { field: 'q' },
      ]);
    }
  });

  it('filters by category, and finds nothing in one that is not ours', async () => {
    expect(await names('categoryId=2')).toEqual(['REX II', 'Été', 'Zoe']);
    for (const id of [neighbour.categoryId, 424_242, '9007199254740993', '9223372036854775807']) {
      expect(await names(`categoryId=${id}`)).toEqual([]);
    }
  });

  it('filters by the start of the name, whatever its case', async () => {
    expect(await prefix('rex')).toEqual(['Rex', 'rexona', 'REX II']);
    expect(await prefix('REX ')).toEqual(['REX II']);
    expect(await prefix('E\u0301')).toEqual(['Été']);
    expect(await prefix('été')).toEqual(['Été']);
    expect(await prefix('e')).toEqual([]);
    expect(await prefix('ex')).toEqual([]);
    expect(await prefix('ΟΔΟΣ')).toEqual(['ΟΔΟΣΑ']);
    expect(await names('name=rex+ii')).toEqual(['REX II']);
  });

  it('takes wildcards and quotes in a name literally', async () => {
    expect(await prefix('100%')).toEqual(['100% good_boy']);
    expect(await prefix('100_')).toEqual([]);
    for (const text of ['%', '_', '*', "' OR 1=1 --", '\\', '\u{10ffff}', '\u{10ffff}\u{10ffff}']) {
      expect(await prefix(text), text).toEqual([]);
    }
  });

  it('combines its filters', async () => {
    expect(await names('name=rex&categoryId=1&status=sold')).toEqual(['rexona']);
    expect(await names('name=rex&categoryId=2&status=sold')).toEqual([]);
    expect(await names('status=sold&sort=-name')).toEqual(['rexona', 'Zoe']);
  });

  it('looks up pets by id, in order and each once, and omits absent ones', async () => {
    const [first, second, third] = pets as [Pet, Pet, Pet];
    const wanted = [third.id, first.id, 424_242, neighbour.petId, third.id, '9007199254740993'];
    const query = wanted.map((id) => `id=${id}`).join('&');
    expect((await list(query)).body).toEqual([first, third]);
    expect((await list(`id=${second.id}&status=available`)).body).toEqual([]);
    expect((await list(`id=${neighbour.petId}`)).body).toEqual([]);
  });

  it('looks up a hundred ids in one page and refuses one more', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => `id=${i + 1}`);
    const { status, body, headers } = await list(ids.join('&'));
    expect(status).toBe(200);
    expect(body).toEqual(pets);
    expect(headers.has('link')).toBe(false);
    const tooMany = await list([...ids, 'id=1'].join('&'));
    expectError(tooMany, 'invalid_request');
    expect((tooMany.body as unknown as { details: { field: string }[] }).details[0]!.field).toBe(
      'id',
    );
  });

  it('sorts by name by code point, ties by id', async () => {
    const key = await app.addWorkspace();
    const category = await app.call('POST', '/v1/categories', { key, body: { name: 'Dogs' } });
    const texts = [
      'b',
      'B',
      'a',
      'Z',
      '😀',
      '\ufffd',
      'é',
      'e\u0301',
      'a',
      'ab',
      'a b',
      'ﬁ',
      '\ud7ff',
      'a',
    ];
    for (const name of texts) {
      await app.call('POST', '/v1/pets', { key, body: { name, categoryId: category.body.id } });
    }
    const sorted = async (sort: string) =>
      (await app.call<Pet[]>('GET', `/v1/pets?sort=${sort}`, { key })).body;
    const expected = [...(await sorted('id'))].sort(
      (a, b) => Buffer.from(a.name).compare(Buffer.from(b.name)) || a.id - b.id,
    );
    expect(await sorted('name')).toEqual(expected);
    expect(await sorted('-name')).toEqual([...expected].reverse());
    expect(expected.map(({ name }) => name).slice(-2)).toEqual(['\ufffd', '😀']);
  });

  it.each([
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=1000000000',
    'limit=1.0',
    'limit=1e1',
    'limit=01',
    'limit=',
    'limit',
    'limit=abc',
    'limit=1&limit=1',
    'limit[]=1',
    'status=Sold',
    'status=',
    'status=sold&status=pending',
    'status=sold,pending',
    'categoryId=0',
    'categoryId=-1',
    'categoryId=01',
    'categoryId=1,2',
    'categoryId=9223372036854775808',
    'categoryId=null',
    'id=',
    'id=abc',
    'id=1&id=x',
    'id=1,2',
    'id[]=1',
    'id=1%20',
    'sort=colour',
    'sort=name,id',
    'sort=NAME',
    'sort=--name',
    'sort=id;drop table pets',
    'sort=id&sort=id',
    'name=',
    `name=${'a'.repeat(201)}`,
    'name=%00',
    'name=%0a',
    'name=%C2%85',
    'name=%ff',
    'name=%',
    'name=%ed%a0%80',
    'Status=sold',
    '__proto__=1',
    'constructor=1',
    'toString=1',
    '=1',
    'cursor=',
    'cursor=abc',
    'cursor=%00',
  ])('refuses the query %s', async (query) => {
    expectError(await list(query), 'invalid_request');
  });
});
