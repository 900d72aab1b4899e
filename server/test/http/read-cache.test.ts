import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ReadCache } from '../../src/http/read-cache.ts';
import { operations } from '../../src/operations/operations.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
let categoryId: number;
let petId: number;
let fresh = 0;

beforeAll(async () => {
  app = await testApp();
  categoryId = (await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } })).body.id;
  for (const name of ['Rex', 'Ada', 'Bo']) petId = await addPet(name);
});

async function addPet(name: string): Promise<number> {
  const { body } = await app.call('POST', '/v1/pets', { body: { name, categoryId } });
  await app.call('PATCH', `/v1/inventory/${body.id}`, { body: { quantity: 50 } });
  return body.id;
}

/** The same question in words that were never used before, so that it is read from the database. */
function anew(path: string): string {
  fresh += 1;
  return `${path}${path.includes('?') ? '' : '?'}${'&'.repeat(fresh)}`;
}

/** Asked often enough that the last answers come from memory, where there is one. */
async function askedOften(path: string) {
  for (let times = 0; times < 3; times++) await app.call('GET', path);
  return app.call('GET', path);
}

function reads(orderId: number): string[] {
  return [
    `/v1/pets/${petId}`,
    '/v1/pets?limit=2&sort=-id',
    `/v1/pets?id=${petId}`,
    '/v1/pets?status=available',
    `/v1/categories/${categoryId}`,
    '/v1/categories',
    `/v1/inventory/${petId}`,
    '/v1/inventory',
    `/v1/inventory/${petId}/movements?sort=-id`,
    `/v1/store/orders/${orderId}`,
    '/v1/store/orders?sort=-id',
  ];
}

type Write = (n: number, orderId: number) => Promise<unknown>;
const writes: Record<string, Write> = {
  'a pet renamed': (n) => app.call('PATCH', `/v1/pets/${petId}`, { body: { name: `Rex ${n}` } }),
  'a pet more': (n) => app.call('POST', '/v1/pets', { body: { name: `New ${n}`, categoryId } }),
  'pets in a batch': (n) =>
    app.call('POST', '/v1/pets/batch', { body: { pets: [{ name: `Batch ${n}`, categoryId }] } }),
  'a category renamed': (n) =>
    app.call('PATCH', `/v1/categories/${categoryId}`, { body: { name: `Dogs ${n}` } }),
  'stock counted': (n) =>
    app.call('PATCH', `/v1/inventory/${petId}`, { body: { quantity: 60 + n } }),
  'stock adjusted': () =>
    app.call('POST', `/v1/inventory/${petId}/adjustments`, { body: { delta: 1, reason: 'count' } }),
  'an order placed': () => app.call('POST', '/v1/store/orders', { body: { petId, quantity: 1 } }),
  'an order changed': (n, orderId) =>
    app.call('PATCH', `/v1/store/orders/${orderId}`, { body: { quantity: 1 + (n % 3) } }),
  'a pet deleted': async (n) => {
    const { body } = await app.call('POST', '/v1/pets', {
      body: { name: `Gone ${n}`, categoryId },
    });
    await askedOften('/v1/pets?limit=2&sort=-id');
    return app.call('DELETE', `/v1/pets/${body.id}`);
  },
};

describe('an answer that was given before', () => {
  it('is never given once the data has changed, whatever changed it', async () => {
    const placed = await app.call('POST', '/v1/store/orders', { body: { petId, quantity: 1 } });
    let n = 0;
    const step = fc.tuple(fc.constantFrom(...Object.keys(writes)), fc.integer({ min: 0, max: 10 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        for (const [name, at] of steps) {
          const path = reads(placed.body.id)[at]!;
          await askedOften(path);
          n += 1;
          await writes[name]!(n, placed.body.id);
          const [now, truth] = [await app.call('GET', path), await app.call('GET', anew(path))];
          expect(now.text, `${path} after ${name}`).toBe(truth.text);
          expect(now.headers.get('etag')).toBe(truth.headers.get('etag'));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is not given once the data was changed from outside', async () => {
    await askedOften('/v1/categories');
    await app.transact((tx) => tx.categories.create(1, { name: 'From outside' }));
    const { text } = await app.call('GET', '/v1/categories');
    expect(text).toContain('From outside');
  });

  it('is given to nobody else', async () => {
    const path = `/v1/pets/${petId}`;
    await askedOften(path);
    const [stranger, writer] = [await app.addWorkspace(), await app.addKey(['write'])];
    expect((await app.call('GET', path, { key: stranger })).status).toBe(404);
    expect((await app.call('GET', path, { key: writer })).body.code).toBe('insufficient_scope');
    expect((await app.call('GET', path, { key: null })).body.code).toBe('missing_api_key');
    const pages = await askedOften('/v1/pets');
    const theirs = await app.call('GET', '/v1/pets', { key: stranger });
    expect([pages.body.length, theirs.body.length]).toEqual([expect.any(Number), 0]);
  });

  it('costs and shows what any answer does', async () => {
    const path = `/v1/pets/${petId}`;
    const remaining = async () =>
      Number((await app.call('GET', path)).headers.get('x-ratelimit-remaining'));
    const used = async () =>
      -Number((await app.call('GET', '/v1/usage')).body.windows[1].remaining);
    await askedOften(path);
    const [first, before] = [await remaining(), await used()];
    expect(await remaining()).toBe(first - 1);
    expect(await used()).toBe(before + 1);
    const { headers } = await app.call('GET', path);
    expect(headers.get('deprecation')).toBeTruthy();
    expect(headers.get('x-request-id')).not.toBe(
      (await app.call('GET', path)).headers.get('x-request-id'),
    );
  });

  it('meets conditions and HEAD as any answer does', async () => {
    const path = `/v1/pets/${petId}`;
    const { headers, text } = await askedOften(path);
    const etag = headers.get('etag')!;
    const known = await app.call('GET', path, { headers: { 'if-none-match': etag } });
    expect([known.status, known.text]).toEqual([304, '']);
    const head = await app.call('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(text.length));
  });

  it('names the host that was asked in its links', async () => {
    const path = '/v1/pets?limit=1';
    const { headers } = await askedOften(path);
    expect(headers.get('link')).toContain(`<${app.address}/v1/pets?limit=1&cursor=`);
    const other = await fetch(`${app.address.replace('127.0.0.1', 'localhost')}${path}`, {
      headers: { authorization: `Bearer ${app.key}` },
    });
    expect(other.headers.get('link')).toContain('http://localhost:');
  });
});

it('only answers made of a workspace’s own records may be repeated', () => {
  const repeatable = operations.filter(({ isRepeatable }) => isRepeatable);
  const tags = new Set(repeatable.map(({ tag }) => tag));
  expect([...tags].toSorted()).toEqual(['animals', 'categories', 'inventory', 'orders']);
  expect(repeatable.every(({ kind, scope }) => kind === 'read' && scope === 'read')).toBe(true);
});

describe('the memory of answers', () => {
  const ask = (url: string) => ({ raw: { url }, headers: {}, protocol: 'http' }) as never;
  const body = 'x'.repeat(10_000);
  const give = (known: ReadCache, url: string) => {
    if (known.find(ask(url), 1)) return true;
    known.keep(ask(url), 1, known.versionOf(1), { status: 200, headers: {}, body });
    return false;
  };

  it('keeps what is asked for a second time', () => {
    const known = new ReadCache(() => 0);
    expect([give(known, '/a'), give(known, '/a'), give(known, '/a')]).toEqual([false, false, true]);
  });

  it('keeps nothing that comes back only after more than there is room for', () => {
    const known = new ReadCache(() => 0);
    const others = (count: number) => {
      for (let n = 0; n < count; n++) known.find(ask(`/v1/pets/${n}`), 1);
    };
    const rounds = (between: number) =>
      Array.from({ length: 3 }, () => {
        others(between);
        return give(known, `/after/${between}`);
      });
    expect(rounds(100)).toEqual([false, false, true]);
    expect(rounds(10_001)).toEqual([false, false, false]);
  });

  it('gives nobody what another workspace has asked for', () => {
    const known = new ReadCache(() => 0);
    give(known, '/a');
    give(known, '/a');
    expect(known.find(ask('/a'), 2)).toBeUndefined();
  });

  it('lets go of what nobody asks for before it holds 16 MB', () => {
    const known = new ReadCache(() => 0);
    const urls = Array.from({ length: 5_000 }, (_, n) => `/v1/pets/${n}`);
    for (const url of urls) for (let times = 0; times < 2; times++) give(known, url);
    const kept = urls.filter((url) => known.find(ask(url), 1));
    expect(kept.length).toBeGreaterThan(350);
    expect(2 * kept.length * body.length).toBeLessThan(16 * 1024 * 1024);
  });

  it('keeps what is asked for again and again', () => {
    const known = new ReadCache(() => 0);
    for (let n = 0; n < 5_000; n++) {
      give(known, '/popular');
      if (n > 1) expect(known.find(ask('/popular'), 1)).toBeDefined();
      for (let times = 0; times < 2; times++) give(known, `/v1/pets/${n}`);
    }
  });

  it('forgets all when more workspaces have changed than it has room for', () => {
    const known = new ReadCache(() => 0);
    give(known, '/a');
    give(known, '/a');
    for (let workspaceId = 2; workspaceId < 10_010; workspaceId++) known.noteChange(workspaceId);
    expect(known.find(ask('/a'), 1)).toBeUndefined();
  });
});
