import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

interface Pet {
  id: number;
  name: string;
}

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

/** A workspace of its own, with pets of these names. */
async function shelter(names: readonly string[]) {
  const key = await app.addWorkspace();
  const category = await app.call('POST', '/v1/categories', { key, body: { name: 'Dogs' } });
  const add = async (name: string) => {
    const body = { name, categoryId: category.body.id };
    return (await app.call<Pet>('POST', '/v1/pets', { key, body })).body;
  };
  const remove = (id: number) => app.call('DELETE', `/v1/pets/${id}`, { key });
  const get = (path: string) => app.call<Pet[]>('GET', path, { key });
  const pets: Pet[] = [];
  for (const name of names) pets.push(await add(name));
  return { key, pets, add, remove, get };
}

function nextOf({ headers }: Answer): string | undefined {
  return /<(\/[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

async function pagesFrom(path: string, get: (path: string) => Promise<Answer<Pet[]>>) {
  const pages: Pet[][] = [];
  for (let next: string | undefined = path; next; ) {
    const answer: Answer<Pet[]> = await get(next);
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer.body);
    next = nextOf(answer);
  }
  return pages;
}

const cursorOf = (answer: Answer) =>
  new URL(nextOf(answer)!, app.address).searchParams.get('cursor')!;
const partsOf = (cursor: string) =>
  JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
const forge = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

const byName = (a: Pet, b: Pet) => Buffer.from(a.name).compare(Buffer.from(b.name)) || a.id - b.id;
const orders: Record<string, (a: Pet, b: Pet) => number> = {
  id: (a, b) => a.id - b.id,
  '-id': (a, b) => b.id - a.id,
  name: byName,
  '-name': (a, b) => byName(b, a),
};

describe('a list', () => {
  it('links to its next page by a relative reference, whatever host and scheme were used', async () => {
    const { get } = await shelter(['Rex', 'Ada']);
    const { headers } = await get('/v1/pets?limit=1');
    expect(headers.get('link')).toMatch(/^<\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/);
  });

  it('has 20 records a page by default, and a link while there are more', async () => {
    const { pets, get } = await shelter(Array.from({ length: 41 }, (_, i) => `Pet ${i}`));
    const first = await get('/v1/pets');
    expect(first.body).toEqual(pets.slice(0, 20));
    expect(first.headers.get('link')).toBe(`</v1/pets?cursor=${cursorOf(first)}>; rel="next"`);
    expect((await pagesFrom('/v1/pets', get)).map(({ length }) => length)).toEqual([20, 20, 1]);
    expect((await pagesFrom('/v1/pets?limit=41', get)).map(({ length }) => length)).toEqual([41]);
    expect((await pagesFrom('/v1/pets?limit=100', get)).flat()).toEqual(pets);
    const head = await app.call('HEAD', '/v1/pets', { key: app.key });
    expect(head.headers.has('link')).toBe(false);
  });

  it('keeps the filters and the sort in its link, and allows another page size', async () => {
    const { pets, get } = await shelter(['b', 'a', 'b', 'c', 'b', 'a']);
    const first = await get('/v1/pets?sort=-name&limit=2&name=b&status=available');
    expect(nextOf(first)).toContain('/v1/pets?sort=-name&limit=2&name=b&status=available&cursor=');
    const rest = await get(nextOf(first)!.replace('limit=2', 'limit=1'));
    const expected = pets.filter(({ name }) => name === 'b').sort(orders['-name']);
    expect([...first.body, ...rest.body]).toEqual(expected);
  });

  it('keeps a question mark in a filter', async () => {
    const { get } = await shelter(['who? me', 'who? you', 'whom']);
    const pages = await pagesFrom('/v1/pets?name=who?&limit=1', get);
    expect(pages.flat().map(({ name }) => name)).toEqual(['who? me', 'who? you']);
  });

  it('replaces a cursor whose name was sent percent-encoded', async () => {
    const { pets, get } = await shelter(['a', 'b', 'c']);
    const first = await get('/v1/pets?limit=1');
    const second = await get(`/v1/pets?limit=1&cur%73or=${cursorOf(first)}`);
    expect(nextOf(second)).toMatch(/^\/v1\/pets\?limit=1&cursor=[\w-]+$/);
    expect((await get(nextOf(second)!)).body).toEqual(pets.slice(2));
  });

  it('encodes its link so that nothing breaks out of it', async () => {
    const { get } = await shelter(['a', 'a']);
    const { headers } = await get('/v1/pets?limit=1&name=a&status=available');
    expect(headers.get('link')).not.toMatch(/[<>"][^;]*[<>"].*next.*next/);
    const odd = await shelter(['>"x', '>"y']);
    const raw = await odd.get('/v1/pets?limit=1&name=%3E%22');
    expect(raw.headers.get('link')).toMatch(/^<[^<>"]+>; rel="next"$/);
    expect((await odd.get(nextOf(raw)!)).body).toHaveLength(1);
  });

  it.each(Object.keys(orders))(
    'repeats and skips nothing that was there throughout, while others come and go, by %s',
    async (sort) => {
      const step = fc.record({
        insert: fc.array(fc.constantFrom('a', 'b', 'bb', 'c', 'é', '😀', '\ufffd'), {
          maxLength: 3,
        }),
        removals: fc.array(fc.nat(50), { maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('a', 'A', 'b', 'c', '😀', '\ufffd'), {
            minLength: 5,
            maxLength: 14,
          }),
          fc.array(step, { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 1, max: 4 }),
          async (names, steps, limit) => {
            const { pets, add, remove, get } = await shelter(names);
            // Every third pet may be taken away, and what comes in between may be too.
            const fleeting = pets.filter((_, i) => i % 3 === 2);
            const removed = new Set<number>();
            const seen: Pet[] = [];
            let next: string | undefined = `/v1/pets?sort=${sort}&limit=${limit}`;
            for (let page = 0; next; page++) {
              const answer: Answer<Pet[]> = await get(next);
              seen.push(...answer.body);
              next = nextOf(answer);
              const { insert, removals } = steps[page % steps.length]!;
              if (page < 12) for (const name of insert) fleeting.push(await add(name));
              for (const index of removals) {
                const victim = fleeting[index % Math.max(1, fleeting.length)];
                if (!victim) continue;
                removed.add(victim.id);
                await remove(victim.id);
              }
            }
            const ids = seen.map(({ id }) => id);
            expect(new Set(ids).size).toBe(ids.length);
            expect(seen).toEqual([...seen].sort(orders[sort]));
            const lasting = pets.filter((_, i) => i % 3 !== 2).map(({ id }) => id);
            expect(ids).toEqual(expect.arrayContaining(lasting));
          },
        ),
        { numRuns: 5 },
      );
    },
  );

  it('continues at its place when the last record of a page is deleted', async () => {
    const { pets, remove, get } = await shelter(['a', 'b', 'c', 'd']);
    for (const sort of ['id', 'name']) {
      const first = await get(`/v1/pets?limit=1&sort=${sort}`);
      await remove(first.body[0]!.id);
      const second = await get(nextOf(first)!);
      const expected = pets.find(({ id }) => id === first.body[0]!.id + 1)!;
      expect(second.body).toEqual([expected]);
    }
  });
});

describe('a cursor', () => {
  it('is refused with another filter, another sort or another list', async () => {
    const { get } = await shelter(['a', 'b', 'c']);
    const cursor = cursorOf(await get('/v1/pets?limit=1'));
    const named = cursorOf(await get('/v1/pets?limit=1&sort=name'));
    for (const query of [
      `sort=-id&cursor=${cursor}`,
      `sort=name&cursor=${cursor}`,
      `name=a&cursor=${cursor}`,
      `status=available&cursor=${cursor}`,
      `id=1&cursor=${cursor}`,
      `cursor=${named}`,
      `sort=-name&cursor=${named}`,
      `cursor=${cursor}&cursor=${cursor}`,
    ]) {
      expectError(await get(`/v1/pets?${query}`), 'invalid_request');
    }
    for (const path of ['/v1/categories', '/v1/inventory', '/v1/store/orders', '/v1/keys']) {
      const answer = await get(`${path}?cursor=${cursor}`);
      expectError(answer, 'invalid_request');
    }
    expect((await get(`/v1/pets?sort=id&cursor=${cursor}`)).status).toBe(200);
  });

  it('is refused when it is forged', async () => {
    const { get } = await shelter(['a', 'b', 'c']);
    const byId = cursorOf(await get('/v1/pets?limit=1'));
    const byNameCursor = cursorOf(await get('/v1/pets?limit=1&sort=name'));
    const [print] = partsOf(byId);
    const [namePrint, name] = partsOf(byNameCursor);
    const wrong = [
      'x',
      '%F0%9F%98%80',
      byId.slice(0, -2),
      `${byId}=`,
      `${byId}AA`,
      `${byId.slice(0, 4)}.${byId.slice(4)}`,
      forge(),
      forge(print),
      forge(print, '1'),
      forge(print, 1.5),
      forge(print, null),
      forge(print, 2 ** 53),
      forge(print, 1, 'key'),
      forge(print, 1, 2),
      forge(print, { toString: 1 }),
      forge('other', 1),
      Buffer.from('{"0":1}').toString('base64url'),
      Buffer.from('[[[[').toString('base64url'),
      Buffer.from(`["${String(print)}", 1]`).toString('base64url'),
      'A'.repeat(3_000),
    ];
    for (const cursor of wrong) {
      expectError(await get(`/v1/pets?cursor=${cursor}`), 'invalid_request');
    }
    for (const parts of [
      [namePrint, name],
      [namePrint, name, null],
      [namePrint, 7, name],
      [namePrint, 'a\0b', 7],
      [namePrint, '\ud800', 7],
      [namePrint, name, 7, 7],
    ]) {
      expectError(await get(`/v1/pets?sort=name&cursor=${forge(...parts)}`), 'invalid_request');
    }
    await app.addKey(['read']);
    const keys = partsOf(cursorOf(await app.call('GET', '/v1/keys?limit=1')));
    expectError(await app.call('GET', `/v1/keys?cursor=${forge(keys[0], 1)}`), 'invalid_request');
  });

  it('never shows records of another workspace', async () => {
    const mine = await shelter(['a', 'b']);
    const theirs = await shelter(['a', 'b', 'c']);
    const cursor = cursorOf(await theirs.get('/v1/pets?limit=1'));
    const [print] = partsOf(cursor);
    for (const position of [0, -1, 1, theirs.pets[0]!.id]) {
      const { body } = await mine.get(`/v1/pets?cursor=${forge(print, position)}`);
      for (const pet of body) expect(mine.pets).toContainEqual(pet);
    }
  });
});
