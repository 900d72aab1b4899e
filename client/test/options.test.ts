import { inspect } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { Petstore, PetstoreError, type PetstoreOptions, Transport } from '../src/petstore.ts';
import { scriptedFetch } from '../src/testing.ts';

const order = { id: 1, petId: 1, quantity: 1, complete: false };

function storeOver(fetch: typeof globalThis.fetch, baseUrl: string | URL = 'http://store.test') {
  return new Petstore({ apiKey: 'psk_test', baseUrl, fetch, maxRetries: 0 });
}

describe('the base URL', () => {
  it.each([
    'http://store.test',
    'http://store.test/',
    'http://store.test/v1',
    'http://store.test/v1/',
    new URL('http://store.test'),
    new URL('http://store.test/v1'),
  ])('%s means the same as the others', async (baseUrl) => {
    const fetch = scriptedFetch([{ body: order }]);
    await storeOver(fetch, baseUrl).orders.get(1);
    expect(fetch.requests[0]!.url).toBe('http://store.test/v1/store/orders/1');
  });

  it.each(['127.0.0.1:8080', 'store.test/v1'])(
    '%s has no scheme, and is named',
    async (baseUrl) => {
      const store = new Petstore({ apiKey: 'psk_test', baseUrl, maxRetries: 0 });
      const [named] = baseUrl.split('/');
      await expect(store.orders.get(1)).rejects.toThrow(
        `${named} could not be reached: Invalid URL.`,
      );
    },
  );

  it('may have a path before /v1', async () => {
    const fetch = scriptedFetch([{ body: order }]);
    await storeOver(fetch, 'http://store.test/shop').orders.get(1);
    expect(fetch.requests[0]!.url).toBe('http://store.test/shop/v1/store/orders/1');
  });
});

describe('options', () => {
  it('of a read without a query come after its path, and none is sent as a parameter', async () => {
    const fetch = scriptedFetch([{ body: order }]);
    const { signal } = new AbortController();
    await storeOver(fetch).orders.get(1, { signal, timeoutMs: 1_000, headers: { 'x-shop': '7' } });
    const [{ url, headers }] = fetch.requests as [Request];
    expect([new URL(url).search, headers.get('x-shop')]).toEqual(['', '7']);
  });

  it.each([
    ['of a read', (store: Petstore) => store.orders.get(1, { petId: 7 } as object)],
    ['of a write', (store: Petstore) => store.orders.cancel(1, { ifmatch: '"1"' } as object)],
    ['of a stream', (store: Petstore) => store.events.stream({}, { timeout: 1 } as object).next()],
  ])('that do not exist are refused: %s', async (_, send) => {
    const fetch = scriptedFetch([]);
    await expect(send(storeOver(fetch))).rejects.toThrow(/There is no option "\w+"/);
    expect(fetch.requests).toHaveLength(0);
  });

  it.each([{ apikey: 'psk_test' }, { maxretries: 5 }, { ifMatch: '"1"' }])(
    'that do not exist are refused when the client is made: %j',
    (options) => {
      const [name] = Object.keys(options);
      const make = () => new Petstore(options as PetstoreOptions);
      expect(make).toThrow(new TypeError(`There is no option "${name}".`));
    },
  );

  it.each([undefined, {}, { limit: Number.NaN }, { limit: -1 }, { max: 5 }])(
    'of an array need a limit: %j has none',
    async (options) => {
      const store = storeOver(scriptedFetch([{ body: [order] }]));
      const read = store.orders.list().toArray(options as { limit: number });
      await expect(read).rejects.toThrow('toArray needs a limit: toArray({ limit: 1000 }).');
    },
  );

  it.each([
    ['apiKey', 5, 'string or function, not number'],
    ['apiKey', null, 'string or function, not null'],
    ['baseUrl', {}, 'string or URL, not object'],
    ['fetch', 'fetch', 'function, not string'],
    ['headers', 'x-shop: 7', 'object, not string'],
    ['maxRetries', '2', 'number, not string'],
    ['maxConcurrent', '2', 'number, not string'],
    ['maxConcurrent', null, 'number, not null'],
    ['onRequest', true, 'function, not boolean'],
  ])('of a wrong type are named when the client is made: %s %o', (name, value, types) => {
    const make = () => new Petstore({ [name]: value });
    expect(make).toThrow(new TypeError(`${name} must be of type ${types}.`));
  });

  it.each([
    ['signal', 'x', 'object, not string'],
    ['timeoutMs', '5', 'number, not string'],
    ['idempotencyKey', 7, 'string, not number'],
    ['ifMatch', null, 'string, not null'],
    ['dryRun', 'false', 'boolean, not string'],
  ])(
    'of a wrong type are named by the call, which sends nothing: %s %o',
    async (name, value, types) => {
      const fetch = scriptedFetch([]);
      const call = storeOver(fetch).orders.cancel(1, { [name]: value });
      await expect(call).rejects.toThrow(new TypeError(`${name} must be of type ${types}.`));
      expect(fetch.requests).toHaveLength(0);
    },
  );

  it('that are no object are refused, and so is a key of a wrong type from a function', async () => {
    const none = new TypeError('Options are an object, not null.');
    expect(() => new Petstore(null as never)).toThrow(none);
    expect(() => new Petstore('psk_test' as never)).toThrow('Options are an object, not string.');
    const fetch = scriptedFetch([]);
    await expect(storeOver(fetch).orders.get(1, null as never)).rejects.toThrow(none);
    const store = new Petstore({ apiKey: (() => 5) as never, fetch });
    const wrong = 'apiKey must be of type string, not number.';
    await expect(store.orders.get(1)).rejects.toThrow(new TypeError(wrong));
    expect(fetch.requests).toHaveLength(0);
  });

  it.each([0, -1, 0.5, 2.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'that let nothing be sent are refused when the client is made: maxConcurrent %o',
    (maxConcurrent) => {
      const options = { apiKey: 'psk_test', maxConcurrent } as PetstoreOptions;
      expect(() => new Petstore(options)).toThrow(
        `maxConcurrent must be a whole number from 1, not ${maxConcurrent}.`,
      );
    },
  );

  it.each([
    ['timeoutMs', Number.NaN, 1],
    ['timeoutMs', 0, 1],
    ['maxRetries', Number.NaN, 0],
    ['maxRetries', -1, 0],
    ['maxWaitMs', Number.NaN, 0],
  ])(
    'that are no number are refused, of the client and of a call: %s %d',
    async (name, value, least) => {
      const options = { [name]: value };
      const message = `${name} must be a number from ${least}, not ${value}.`;
      expect(() => new Petstore(options)).toThrow(new TypeError(message));
      const fetch = scriptedFetch([]);
      await expect(storeOver(fetch).orders.get(1, options)).rejects.toThrow(message);
      expect(fetch.requests).toHaveLength(0);
    },
  );

  it.each([
    { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0, maxWaitMs: 0 },
    { timeoutMs: undefined, maxRetries: undefined, maxWaitMs: undefined },
  ])('may have no limit, or none of their own: %j', async (options) => {
    const fetch = scriptedFetch([{ body: order }]);
    expect(await storeOver(fetch).orders.get(1, options)).toEqual(order);
  });

  it('are those of any request, whose method may be written in small letters', async () => {
    const fetch = scriptedFetch([{ body: order }, { body: [order] }]);
    await storeOver(fetch).request('patch', '/store/orders/1', { body: { complete: true } });
    await storeOver(fetch).request('get', '/store/orders');
    const sent = fetch.requests.map(({ method, headers }) => [
      method,
      headers.has('idempotency-key'),
    ]);
    expect(sent).toEqual([
      ['PATCH', true],
      ['GET', false],
    ]);
  });

  it('may be those of the platform: URLSearchParams as a query, Headers as headers', async () => {
    const fetch = scriptedFetch([{ body: [order] }]);
    const query = new URLSearchParams('petId=1&petId=2');
    const headers = new Headers({ 'X-Shop': '7' }) as never;
    await storeOver(fetch).request('GET', '/store/orders', { query, headers });
    const [sent] = fetch.requests as [Request];
    expect([new URL(sent.url).search, sent.headers.get('x-shop')]).toEqual([
      '?petId=1&petId=2',
      '7',
    ]);
  });

  it('may let one request be sent at a time', async () => {
    const fetch = scriptedFetch([{ body: order }, { body: order }]);
    const store = new Petstore({ apiKey: 'psk_test', fetch, maxConcurrent: 1 });
    expect(await Promise.all([store.orders.get(1), store.orders.get(1)])).toEqual([order, order]);
  });
});

describe('what JSON and a URL cannot say is refused, and nothing is sent', () => {
  const never = new Date(Number.NaN);
  it.each([
    ['expiresAt', (store: Petstore) => store.orders.update(1, { expiresAt: never })],
    ['lowStockAt', (store: Petstore) => store.pets.update(1, { lowStockAt: Number.NaN })],
    ['asOf', (store: Petstore) => store.inventory.list({ asOf: never })],
  ])('%s', async (name, send) => {
    const fetch = scriptedFetch([]);
    const call = async () => send(storeOver(fetch));
    const message = expect.stringMatching(`^${name} must not be (NaN|Invalid Date).$`);
    await expect(call()).rejects.toMatchObject({ code: 'invalid_request', status: 400, message });
    expect(fetch.requests).toHaveLength(0);
  });

  it('a query that is a text, which would find every record', async () => {
    const list = async () => storeOver(scriptedFetch([])).pets.list('status=sold' as never);
    await expect(list()).rejects.toThrow('query must be of type object, not string.');
  });
});

it('a HEAD has no data', async () => {
  const fetch = scriptedFetch([{ headers: { etag: '"1"' } }]);
  const { data, etag } = await storeOver(fetch).request('HEAD', '/pets/1').withResponse();
  expect([data, etag]).toEqual([undefined, '"1"']);
});

it('a dry run is one wherever it is asked for', async () => {
  const fetch = scriptedFetch([{ status: 204 }, { status: 204 }, { body: {} }]);
  const transport = new Transport({ apiKey: 'psk_test', fetch });
  const store = storeOver(fetch);
  await store.request('DELETE', '/pets/1', { query: { dryRun: true } });
  await store.request('DELETE', '/pets/1', { dryRun: true });
  await transport.call({ method: 'POST', path: '/pets', query: { dryRun: 'true' }, options: {} });
  const searches = fetch.requests.map(({ url }) => new URL(url).search);
  expect(searches).toEqual(['?dryRun=true', '?dryRun=true', '?dryRun=true']);
});

describe('an error', () => {
  it('has the whole response as its body', async () => {
    const refusal = { code: 'not_found', message: 'No.', status: 404, hint: { more: [1, 2] } };
    const fetch = scriptedFetch([{ status: 404, body: refusal }]);
    const call = storeOver(fetch).orders.get(1);
    await expect(call).rejects.toMatchObject({ body: refusal, name: 'NotFoundError' });
    const page = `<html>${'x'.repeat(400)}`;
    const proxy = (async () => new Response(page, { status: 403 })) as typeof globalThis.fetch;
    await expect(storeOver(proxy).orders.get(1)).rejects.toMatchObject({ body: page });
  });

  it('is printed without its response, which it has', async () => {
    const refusal = { code: 'not_found', message: 'No.', status: 404, requestId: 'r-1' };
    const headers = { 'x-shelf': '7' };
    const fetch = scriptedFetch([{ status: 404, body: refusal, headers }]);
    const call = storeOver(fetch).orders.get(1);
    const err = (await call.catch((error: unknown) => error)) as PetstoreError;
    expect([err.response?.status, err.response?.headers.get('x-shelf')]).toEqual([404, '7']);
    const printed = inspect(err);
    expect(printed).toContain('NotFoundError: No.');
    expect(printed).toContain("requestId: 'r-1'");
    expect(printed).not.toMatch(/Response|x-shelf|Symbol/);
    expect(JSON.parse(JSON.stringify(err))).toEqual({ name: 'NotFoundError', ...refusal });
  });

  it('keeps its name when its code is minified', async () => {
    const resolveDir = new URL('../src', import.meta.url).pathname;
    const { outputFiles } = await build({
      stdin: { contents: "export * from './errors.ts'", resolveDir, loader: 'ts' },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    const code = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
    const errors = (await import(/* @vite-ignore */ code)) as Record<string, unknown>;
    const classes = Object.entries(errors).filter(([name]) => name.endsWith('Error'));
    expect(classes).toHaveLength(12);
    for (const [name, ErrorClass] of classes) {
      const err = new (ErrorClass as typeof PetstoreError)({ code: 'c', message: 'm', status: 0 });
      expect([err.name, String(err)]).toEqual([name, `${name}: m`]);
    }
  });
});

describe('scriptedFetch', () => {
  it('answers by route, in order where a route has a list', async () => {
    const fetch = scriptedFetch({
      'GET /store/orders/{orderId}': (request) => ({
        body: { ...order, id: Number(request.url.split('/').at(-1)) },
      }),
      'POST /store/orders': [{ status: 201, body: order }, { status: 503 }],
    });
    const store = storeOver(fetch);
    expect((await store.orders.get(9)).id).toBe(9);
    expect(await store.orders.place({ petId: 1 })).toEqual(order);
    await expect(store.orders.place({ petId: 1 })).rejects.toMatchObject({ status: 503 });
    expect((await store.orders.get(4)).id).toBe(4);
    expect(await fetch.requests[1]!.json()).toEqual({ petId: 1 });
  });

  it('names the route that it lacks', async () => {
    const fetch = scriptedFetch({ 'GET /pets': { body: [] } });
    const err = await storeOver(fetch)
      .orders.get(1)
      .catch((error: unknown) => error);
    expect(err).toBeInstanceOf(PetstoreError);
    const { cause } = err as PetstoreError;
    expect(String(cause)).toContain('no route for GET /v1/store/orders/1');
  });
});

describe('the limits of a response', () => {
  it('are its own, and not those of a later one', async () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      ratelimit: '"minute";r=59;t=60, "day";r=999;t=9000',
    };
    const fetch = scriptedFetch([{ body: [], headers }, { body: [] }]);
    const store = new Petstore({ apiKey: 'psk_test', baseUrl: 'http://127.0.0.1:1/v1', fetch });
    expect((await store.pets.list().withResponse()).rateLimit).toMatchObject({ remaining: 59 });
    expect((await store.pets.list().withResponse()).rateLimit).toBeUndefined();
    expect(store.rateLimit).toMatchObject({ remaining: 59 });
  });
});

describe('a request', () => {
  it('of a dry run says so in its query', async () => {
    const fetch = scriptedFetch([{ body: {} }]);
    const transport = new Transport({ apiKey: 'psk_secret', fetch });
    await transport.call({ method: 'POST', path: '/store/orders', options: { dryRun: true } });
    expect(new URL(fetch.requests[0]!.url).search).toBe('?dryRun=true');
  });
});
