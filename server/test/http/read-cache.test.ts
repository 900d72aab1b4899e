import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
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

/** The same request under a URL that was never used before, so that it is read from the database. */
function uncached(path: string): string {
  fresh += 1;
  return `${path}${path.includes('?') ? '' : '?'}${'&'.repeat(fresh)}`;
}

/** Twice, so that the second response comes from the cache, where there is one. */
async function readTwice(path: string) {
  await app.call('GET', path);
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
    await readTwice('/v1/pets?limit=2&sort=-id');
    return app.call('DELETE', `/v1/pets/${body.id}`);
  },
};

describe('a cached response', () => {
  it('is not sent after the data has changed, whatever changed it', async () => {
    const placed = await app.call('POST', '/v1/store/orders', { body: { petId, quantity: 1 } });
    let n = 0;
    const step = fc.tuple(fc.constantFrom(...Object.keys(writes)), fc.integer({ min: 0, max: 10 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        for (const [name, at] of steps) {
          const path = reads(placed.body.id)[at]!;
          await readTwice(path);
          n += 1;
          await writes[name]!(n, placed.body.id);
          const [now, truth] = [await app.call('GET', path), await app.call('GET', uncached(path))];
          expect(now.text, `${path} after ${name}`).toBe(truth.text);
          expect(now.headers.get('etag')).toBe(truth.headers.get('etag'));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is not sent after another process has changed the data', async () => {
    await readTwice('/v1/categories');
    await app.transact((tx) => tx.categories.create(1, { name: 'From outside' }));
    const { text } = await app.call('GET', '/v1/categories');
    expect(text).toContain('From outside');
  });

  it('of the feed is not sent after another workspace has emitted an event into it', async () => {
    const key = await app.addWorkspace();
    const { body: workspace } = await app.call('GET', '/v1/workspace', { key });
    const { headers } = await app.call('GET', '/v1/events', { key });
    const path = `/v1/events?after=${headers.get('events-cursor')}`;
    await app.call('GET', path, { key });
    expect((await app.call('GET', path, { key })).body).toEqual([]);
    const change = { body: { plan: 'pro' } };
    await app.call('PATCH', `/v1/admin/workspaces/${workspace.id}`, change);
    const after = await app.call('GET', path, { key });
    expect(after.body).toMatchObject([{ type: 'workspace.updated' }]);
  });

  it('is sent to no other workspace and to no key without the scope', async () => {
    const path = `/v1/pets/${petId}`;
    await readTwice(path);
    const [stranger, writer] = [await app.addWorkspace(), await app.addKey(['write'])];
    expect((await app.call('GET', path, { key: stranger })).status).toBe(404);
    expect((await app.call('GET', path, { key: writer })).body.code).toBe('insufficient_scope');
    expect((await app.call('GET', path, { key: null })).body.code).toBe('missing_api_key');
    const pages = await readTwice('/v1/pets');
    const theirs = await app.call('GET', '/v1/pets', { key: stranger });
    expect([pages.body.length, theirs.body.length]).toEqual([expect.any(Number), 0]);
  });

  it('is counted and carries the headers of any response', async () => {
    const path = `/v1/pets/${petId}`;
    const remaining = async () =>
      Number((await app.call('GET', path)).headers.get('x-ratelimit-remaining'));
    const used = async () =>
      -Number((await app.call('GET', '/v1/usage')).body.windows[1].remaining);
    await readTwice(path);
    const [first, before] = [await remaining(), await used()];
    expect(await remaining()).toBe(first - 1);
    expect(await used()).toBe(before + 1);
    const { headers } = await app.call('GET', path);
    expect(headers.get('deprecation')).toBeTruthy();
    expect(headers.get('x-request-id')).not.toBe(
      (await app.call('GET', path)).headers.get('x-request-id'),
    );
  });

  it('honours conditions and HEAD like any response', async () => {
    const path = `/v1/pets/${petId}`;
    const { headers, text } = await readTwice(path);
    const etag = headers.get('etag')!;
    const known = await app.call('GET', path, { headers: { 'if-none-match': etag } });
    expect([known.status, known.text]).toEqual([304, '']);
    const head = await app.call('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(text.length));
  });
});

it('lists of ids and events are not kept, a poll with nothing new is', async () => {
  const { beforeRead } = ReadCache.prototype;
  const kept: string[] = [];
  const spy = vi.spyOn(ReadCache.prototype, 'beforeRead').mockImplementation(function (
    this: ReadCache,
    ...args
  ) {
    const keep = beforeRead.apply(this, args);
    return (response) => {
      kept.push(args[1]);
      keep(response);
    };
  });
  const some = uncached('/v1/pets');
  const paths = [some, uncached(`/v1/pets?id=${petId}`), '/v1/events', '/v1/events?after=latest'];
  for (const path of paths) expect((await app.call('GET', path)).status).toBe(200);
  spy.mockRestore();
  expect(kept).toEqual([some, '/v1/events?after=latest']);
});

it('only responses made of a workspace’s own records are cached', () => {
  const cacheable = operations.filter(({ cacheableUntil }) => cacheableUntil === 'workspaceWrites');
  const tags = new Set(cacheable.map(({ tag }) => tag));
  expect([...tags].toSorted()).toEqual(['animals', 'categories', 'inventory', 'orders']);
  expect(cacheable.every(({ kind, scope }) => kind === 'read' && scope === 'read')).toBe(true);
});

describe('the read cache', () => {
  const LIMITS = { bytesMax: 100_000, workspacesMax: 10 };
  const response = { status: 200, headers: {}, body: 'x'.repeat(1_000) };
  const newCache = () => new ReadCache({ foreign: () => 0, all: () => '' }, LIMITS);
  const keep = (cache: ReadCache, url: string) =>
    cache.beforeRead(1, url, 'workspaceWrites')(response);

  it('returns what it has kept, to the same workspace only', () => {
    const cache = newCache();
    keep(cache, '/a');
    expect(cache.find(1, '/a', 'workspaceWrites')).toBe(response);
    expect(cache.find(2, '/a', 'workspaceWrites')).toBeUndefined();
    expect(cache.find(1, '/b', 'workspaceWrites')).toBeUndefined();
  });

  it('returns nothing that was read before a change, even if it was kept after it', () => {
    const cache = newCache();
    const keepResponse = cache.beforeRead(1, '/a', 'workspaceWrites');
    cache.noteChange(1);
    keepResponse(response);
    expect(cache.find(1, '/a', 'workspaceWrites')).toBeUndefined();
  });

  it('returns nothing after a change of its workspace or by another process', () => {
    let foreignChanges = 0;
    const cache = new ReadCache({ foreign: () => foreignChanges, all: () => '' }, LIMITS);
    keep(cache, '/a');
    cache.noteChange(2);
    expect(cache.find(1, '/a', 'workspaceWrites')).toBe(response);
    cache.noteChange(1);
    expect(cache.find(1, '/a', 'workspaceWrites')).toBeUndefined();
    keep(cache, '/a');
    foreignChanges += 1;
    expect(cache.find(1, '/a', 'workspaceWrites')).toBeUndefined();
  });

  it('returns nothing of the feed after any commit', () => {
    let commits = 0;
    const cache = new ReadCache({ foreign: () => 0, all: () => `${commits}` }, LIMITS);
    cache.beforeRead(1, '/a', 'storeCommits')(response);
    cache.noteChange(1);
    expect(cache.find(1, '/a', 'storeCommits')).toBe(response);
    commits += 1;
    expect(cache.find(1, '/a', 'storeCommits')).toBeUndefined();
  });

  it('holds no more than it may, and drops what was used least recently', () => {
    const cache = newCache();
    keep(cache, '/popular');
    for (let n = 0; n < 1_000; n++) {
      keep(cache, `/v1/pets/${n}`);
      expect(cache.find(1, '/popular', 'workspaceWrites')).toBe(response);
    }
    const kept = Array.from({ length: 1_000 }, (_, n) =>
      cache.find(1, `/v1/pets/${n}`, 'workspaceWrites'),
    );
    const bytes = 2 * response.body.length * kept.filter(Boolean).length;
    expect(bytes).toBeGreaterThan(LIMITS.bytesMax / 2);
    expect(bytes).toBeLessThan(LIMITS.bytesMax);
  });

  it('drops all when more workspaces have changed than it remembers', () => {
    const cache = newCache();
    keep(cache, '/a');
    for (let workspaceId = 2; workspaceId < 20; workspaceId++) cache.noteChange(workspaceId);
    expect(cache.find(1, '/a', 'workspaceWrites')).toBeUndefined();
  });
});
