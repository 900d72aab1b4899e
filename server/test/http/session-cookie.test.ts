// Which requests a session cookie counts for. Browsers send it along from other ports of the same host, so these headers
// are all that keeps a foreign page out.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { type ConsoleSession, signIn } from '../support/console-session.ts';
import { expectError } from '../support/contract.ts';
import { warningsOf } from '../support/log-lines.ts';
import { exchange } from '../support/raw-http.ts';

let app: TestApp;
let proxied: TestApp;
let session: ConsoleSession;
const lines: string[] = [];

beforeAll(async () => {
  app = await testApp({ lines });
  proxied = await testApp({ environment: { PETSTORE_TRUST_PROXY: '127.0.0.1' }, lines });
});
beforeEach(async () => {
  app.clock.advance(61_000);
  session = await signIn(app);
  lines.length = 0;
});

/** Sends the cookie with just these headers. Undici sets `Sec-Fetch-Mode` by itself, and no `Sec-Fetch-Site`. */
function send(method: string, path: string, headers: Record<string, string>) {
  return app.call(method, path, { key: null, headers: { cookie: session.cookie, ...headers } });
}

async function newKey(): Promise<string> {
  const body = { name: 'till', scopes: ['read'] };
  return (await app.call('POST', '/v1/keys', { body })).body.id;
}

async function keyCount(): Promise<number> {
  return (await app.call('GET', '/v1/keys?limit=100')).body.length;
}

const ownOrigin = () => app.address;
const otherPort = () => app.address.replace(/\d+$/, (port) => String(Number(port) - 1));

describe('the session cookie', () => {
  it('is HttpOnly, strict and lasts twelve hours', () => {
    expect(session.setCookie).toMatch(
      /^petstore_session=psk_\w{50}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
  });

  it('counts for reads and writes of its own page', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const read = await send('GET', '/v1/pets', headers);
    expect(read.status).toBe(200);
    expect(read.headers.get('cache-control')).toBe('no-store');
    const id = await newKey();
    expect((await send('POST', `/v1/keys/${id}/rotate`, headers)).status).toBe(201);
  });

  it.each(['same-site', 'cross-site', 'none', 'same-origin, same-origin', ''])(
    'does not count with Sec-Fetch-Site: %s, whatever the Origin',
    async (site) => {
      const id = await newKey();
      const before = await keyCount();
      for (const origin of [{}, { origin: ownOrigin() }]) {
        const headers = { 'sec-fetch-site': site, ...origin };
        expectError(await send('GET', '/v1/pets', headers), 'missing_api_key');
        expectError(await send('POST', `/v1/keys/${id}/rotate`, headers), 'missing_api_key');
        expectError(await send('DELETE', '/v1/session', headers), 'missing_api_key');
      }
      expect(await keyCount()).toBe(before);
      expect((await session.call('GET', '/v1/session')).status).toBe(200);
    },
  );

  it('does not let a page on another port rotate a key, a write without a body', async () => {
    const id = await newKey();
    const before = await keyCount();
    for (const origin of [otherPort(), 'null', 'http://127.0.0.1', 'nonsense', '']) {
      const answer = await send('POST', `/v1/keys/${id}/rotate`, { origin });
      expectError(answer, 'missing_api_key');
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    }
    expect(await keyCount()).toBe(before);
  });

  it('counts by an Origin with this host and port where a browser sends no Sec-Fetch-Site', async () => {
    const id = await newKey();
    const headers = { origin: ownOrigin() };
    expect((await send('GET', '/v1/pets', headers)).status).toBe(200);
    expect((await send('POST', `/v1/keys/${id}/rotate`, headers)).status).toBe(201);
    expectError(await send('GET', '/v1/pets', { origin: otherPort() }), 'missing_api_key');
  });

  it('counts for reads without both headers, and for no write', async () => {
    const id = await newKey();
    const before = await keyCount();
    expect((await send('GET', '/v1/pets', {})).status).toBe(200);
    expect((await send('HEAD', '/v1/pets', {})).status).toBe(200);
    expectError(await send('POST', `/v1/keys/${id}/rotate`, {}), 'missing_api_key');
    expectError(await send('DELETE', `/v1/keys/${id}`, {}), 'missing_api_key');
    expectError(await send('DELETE', '/v1/session', {}), 'missing_api_key');
    expect(await keyCount()).toBe(before);
  });

  it('is not read where there is a key, valid or not', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const wrong = await send('GET', '/v1/pets', { ...headers, authorization: 'Bearer psk_wrong' });
    expectError(wrong, 'invalid_api_key');
    expectError(await send('GET', '/v1/pets', { ...headers, 'x-api-key': '' }), 'invalid_api_key');
    const key = { ...headers, 'x-api-key': app.key };
    expectError(await send('GET', '/v1/session', key), 'missing_api_key');
  });

  it('holds no key: an API key is not accepted from it', async () => {
    const headers = { cookie: `petstore_session=${app.key}`, 'sec-fetch-site': 'same-origin' };
    const answer = await app.call('GET', '/v1/pets', { key: null, headers });
    expectError(answer, 'invalid_api_key');
  });

  it('is the only place of a session: it is refused as a key', async () => {
    const secret = session.cookie.split('=')[1]!;
    const asBearer = await app.call('GET', '/v1/pets', { key: secret });
    expectError(asBearer, 'invalid_api_key');
    const unknown = await app.call('GET', '/v1/pets', { key: 'psk_unknown' });
    expect(asBearer.body.message).toBe(unknown.body.message);
    const plain = { key: null, headers: { 'x-api-key': secret } };
    expectError(await app.call('GET', '/v1/pets', plain), 'invalid_api_key');
  });

  it('is found among other cookies, under its whole name alone', async () => {
    const secret = session.cookie.split('=')[1]!;
    const with_ = (cookie: string) =>
      app.call('GET', '/v1/pets', { key: null, headers: { cookie } });
    expect((await with_(`a=b; ${session.cookie};c=d`)).status).toBe(200);
    for (const name of ['x_petstore_session', 'petstore_session2', '__Host-petstore_session']) {
      expectError(await with_(`${name}=${secret}`), 'missing_api_key');
    }
    expectError(await with_('petstore_session='), 'invalid_api_key');
  });

  it('costs a stranger requests of the address, and no quota of the store', async () => {
    const answer = await send('GET', '/v1/pets', { 'sec-fetch-site': 'cross-site' });
    expect(answer.headers.get('ratelimit-policy')).not.toContain('"day"');
    expect((await send('GET', '/v1/plans', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });

  it('stays valid, or ended, when the service starts again', async () => {
    await session.call('DELETE', '/v1/session');
    await app.restart();
    expectError(await session.call('GET', '/v1/session'), 'invalid_api_key');
    const next = await signIn(app);
    await app.restart();
    expect((await next.call('GET', '/v1/session')).status).toBe(200);
  });
});

describe('behind a proxy', () => {
  const send = async ({ address }: TestApp, method: string, headers: string[]) => {
    const head = [`${method} /v1/session HTTP/1.1`, 'Host: shop.example', ...headers, '', ''];
    return (await exchange(address, head.join('\r\n'))).answers[0]!;
  };
  const bearer = ({ key }: TestApp) => `Authorization: Bearer ${key}`;
  const https = 'X-Forwarded-Proto: https';

  it('that is trusted and says https, the cookie is Secure and bound to the host', async () => {
    const opened = await send(proxied, 'POST', [bearer(proxied), https]);
    const cookie = opened.headers['set-cookie']!;
    expect(cookie).toMatch(
      /^__Host-petstore_session=psk_\w{50}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    );
    const sent = `Cookie: ${cookie.split(';', 1)[0]}`;
    const read = (headers: string[]) => send(proxied, 'GET', [sent, ...headers]);
    expect((await read([https, 'Origin: https://shop.example'])).status).toBe(200);
    expect((await read([https, 'Origin: http://shop.example'])).status).toBe(401);
    expect((await read([])).status, 'over http the name is another').toBe(401);
    const ended = await send(proxied, 'DELETE', [sent, https, 'Sec-Fetch-Site: same-origin']);
    expect(ended.headers['set-cookie']).toBe(
      '__Host-petstore_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure',
    );
    expect(warningsOf(lines)).toEqual([]);
  });

  it.each(['Origin: https://shop.example', https])(
    'that is not trusted, the log names the setting: %s',
    async (header) => {
      const { headers } = await send(app, 'POST', [bearer(app), header]);
      expect(headers['set-cookie']).toMatch(/^petstore_session=psk_\w{50};/);
      expect(warningsOf(lines)[0]!.msg).toContain('PETSTORE_TRUST_PROXY');
      expect(lines.join()).not.toContain('psk_');
    },
  );
});
