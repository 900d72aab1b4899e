import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { expectApiHeaders, expectError } from '../support/contract.ts';

const SHOP = 'https://shop.example';
const preflight = (app: TestApp, origin: string, path = '/v1/pets') =>
  app.call('OPTIONS', path, {
    key: null,
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, idempotency-key',
    },
  });
const corsHeaders = ({ headers }: Answer) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('without CORS', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });

  it('answers a preflight with 405 and no leave', async () => {
    const answer = await preflight(app, SHOP);
    expectError(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(corsHeaders(answer)).toEqual([]);
  });

  it('gives no page leave to read an answer', async () => {
    const answer = await app.call('GET', '/v1/pets', { headers: { origin: SHOP } });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
  });
});

describe('with an allow-list of origins', () => {
  let app: TestApp;
  beforeAll(async () => {
    const PETSTORE_CORS_ORIGINS = `${SHOP}, http://localhost:3000`;
    app = await testApp({ environment: { PETSTORE_CORS_ORIGINS } });
  });

  it.each([SHOP, 'http://localhost:3000'])('lets %s ask, without a key', async (origin) => {
    const answer = await preflight(app, origin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-methods')).toBe(
      'GET, HEAD, POST, PUT, PATCH, DELETE',
    );
    const allowed = answer.headers.get('access-control-allow-headers')!.toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'content-type', 'idempotency-key']),
    );
    expect(allowed).toEqual(expect.arrayContaining(['if-match', 'if-none-match', 'last-event-id']));
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
    expectApiHeaders(answer);
  });

  it('does not count a preflight', async () => {
    const remaining = async () =>
      Number(
        (await app.call('GET', '/v1/pets', { key: null })).headers.get('x-ratelimit-remaining'),
      );
    const before = await remaining();
    for (let i = 0; i < 10; i++) await preflight(app, SHOP);
    expect(await remaining()).toBe(before - 1);
  });

  it.each([
    'https://shop.example.evil.example',
    'https://evil-shop.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://SHOP.example',
    'https://shop.example/',
    'https://sub.shop.example',
    'null',
    '*',
    '',
    'file://',
    'https://shop.example, https://evil.example',
  ])('gives %j no leave', async (origin) => {
    const asked = await preflight(app, origin);
    expectError(asked, 'method_not_allowed');
    expect(corsHeaders(asked)).toEqual([]);
    const answer = await app.call('GET', '/v1/pets', { headers: { origin } });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  it('shows the page what it needs, on success and on refusal', async () => {
    const headers = { origin: SHOP };
    const success = await app.call('GET', '/v1/pets', { headers });
    const refused = await app.call('GET', '/v1/pets', { headers, key: null });
    const missing = await app.call('GET', '/v1/nowhere', { headers });
    for (const answer of [success, refused, missing]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
      const exposed = answer.headers
        .get('access-control-expose-headers')!
        .toLowerCase()
        .split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining([
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
          'ratelimit',
          'ratelimit-policy',
          'x-request-id',
          'link',
          'events-cursor',
          'location',
          'etag',
          'retry-after',
          'idempotency-replayed',
        ]),
      );
      expectApiHeaders(answer);
    }
  });

  it('answers OPTIONS that is no preflight with 405', async () => {
    const answer = await app.call('OPTIONS', '/v1/pets', { headers: { origin: SHOP } });
    expectError(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expectError(await app.call('OPTIONS', '/v1/nowhere'), 'not_found');
    for (const path of ['/nowhere', '/mcp/', '/mcp/nowhere', '/mcpx']) {
      expect((await app.call('OPTIONS', path)).status, path).toBe(404);
    }
  });
});
