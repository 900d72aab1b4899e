import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rateHeaders } from '../../src/http/response/rate-headers.ts';
import { newWorkspace } from '../operations/account/new-workspace.ts';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { exchange } from '../support/raw-http.ts';
import { NINE, stopClock } from './still-clock.ts';

const FREE_POLICY = '"minute";q=60;w=60, "day";q=1000;w=86400';
const ADDRESS_POLICY = '"minute";q=1000000;w=60';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => stopClock(app));

function rateOf({ headers }: Pick<Answer, 'headers'>) {
  return {
    limit: headers.get('x-ratelimit-limit'),
    remaining: headers.get('x-ratelimit-remaining'),
    reset: Number(headers.get('x-ratelimit-reset')) - NINE / 1000,
    policy: headers.get('ratelimit-policy'),
    windows: headers.get('ratelimit'),
  };
}

describe('the rate headers', () => {
  it('describe both windows, and in the trio the one with fewest requests left', async () => {
    const own = await newWorkspace(app);
    app.clock.advance(250);
    expect(rateOf(await own.ask())).toEqual({
      limit: '60',
      remaining: '59',
      reset: 61,
      policy: FREE_POLICY,
      windows: '"minute";r=59;t=60, "day";r=999;t=54000',
    });
    app.clock.advance(1_250);
    expect(rateOf(await own.ask()).windows).toBe('"minute";r=58;t=59, "day";r=998;t=53999');
  });

  it('describe the day once it has less left than the minute', async () => {
    const limits = { perMinute: 3, perDay: 4 };
    const own = await newWorkspace(app, { plan: 'enterprise', limits });
    const shown = [];
    for (let i = 0; i < 5; i++) {
      const { limit, remaining, reset } = rateOf(await own.ask());
      shown.push(`${limit} ${remaining} ${reset}`);
      if (i === 1) app.clock.advance(60_000);
    }
    expect(shown).toEqual(['3 2 60', '3 1 60', '4 1 54000', '4 0 54000', '4 0 54000']);
  });

  it('describe the window that refused', async () => {
    const limits = { perMinute: 1, perDay: 2 };
    const own = await newWorkspace(app, { plan: 'enterprise', limits });
    await own.spend(1);
    expect(rateOf(await own.ask())).toMatchObject({
      limit: '1',
      remaining: '0',
      reset: 60,
      windows: '"minute";r=0;t=60, "day";r=1;t=54000',
    });
    app.clock.advance(60_000);
    await own.spend(1);
    expect(rateOf(await own.ask())).toMatchObject({
      limit: '2',
      remaining: '0',
      reset: 54_000,
      windows: '"minute";r=0;t=60, "day";r=0;t=53940',
    });
  });

  it.each<[number, string, string, object]>([
    [200, 'GET', '/v1/workspace', {}],
    [304, 'GET', '/v1/workspace', { headers: { 'if-none-match': '*' } }],
    [400, 'GET', '/v1/workspace?colour=red', {}],
    [400, 'POST', '/v1/pets', { body: '{' }],
    [403, 'GET', '/v1/admin/bans', {}],
    [404, 'GET', '/v1/pets/77', {}],
    [404, 'GET', '/v1/nowhere', {}],
    [405, 'PUT', '/v1/pets', {}],
    [406, 'GET', '/v1/pets', { headers: { accept: 'text/html' } }],
    [413, 'POST', '/v1/pets', { body: `"${'x'.repeat(300_000)}"` }],
    [415, 'POST', '/v1/pets', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ])(
    'are on %i of %s %s, with the numbers of the workspace',
    async (status, method, path, options) => {
      const own = await newWorkspace(app);
      const answer = await app.call(method, path, { key: own.key, ...options });
      expect(answer.status).toBe(status);
      expect(rateOf(answer)).toEqual({
        limit: '60',
        remaining: '59',
        reset: 60,
        policy: FREE_POLICY,
        windows: '"minute";r=59;t=60, "day";r=999;t=54000',
      });
    },
  );

  it.each<[number, string, object]>([
    [401, 'no key', { key: null }],
    [401, 'a mistyped key', { key: 'psk_mistyped' }],
    [400, 'two different keys', { headers: { 'x-api-key': 'psk_other' } }],
  ])('are on %i of %s, with the numbers of the address', async (status, _, options) => {
    const first = await app.call('GET', '/v1/pets', options);
    const second = await app.call('GET', '/v1/pets', options);
    expect(second.status).toBe(status);
    const rate = rateOf(second);
    expect(rate).toMatchObject({ limit: '1000000', reset: 60, policy: ADDRESS_POLICY });
    expect(rate.windows).toBe(`"minute";r=${rate.remaining};t=60`);
    expect(Number(rate.remaining)).toBe(Number(rateOf(first).remaining) - 1);
  });

  it.each([
    [400, 'a line that is no request', 'hello\r\n\r\n'],
    [400, 'a missing Host', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
    [400, 'a path that cannot be decoded', 'GET /v1/%zz HTTP/1.1\r\nHost: a\r\n\r\n'],
    [417, 'an expectation', 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'],
    [431, 'a large head', `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('are on %i for %s, with the numbers of the address', async (status, _, bytes) => {
    const before = rateOf(await app.call('GET', '/v1/pets', { key: null }));
    const { answers } = await exchange(app.address, bytes);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    const rate = rateOf({ headers: new Headers(answers[0]!.headers) });
    const remaining = String(Number(before.remaining) - 1);
    expect(rate).toEqual({ ...before, remaining, windows: `"minute";r=${remaining};t=60` });
  });

  it('count from when it was decided, by whichever clock that was', () => {
    const windows = [{ name: 'minute' as const, limit: 60, remaining: 7, resetAt: NINE + 20_000 }];
    expect(rateHeaders({ at: NINE, windows })).toContain('"minute";r=7;t=20');
  });
});
