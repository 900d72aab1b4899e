import { beforeAll, describe, expect, it } from 'vitest';
import { describeApiKey, generateApiKey } from '../../src/lib/api-key.ts';
import { createKey } from '../../src/services/keys.ts';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { expectError, headerOf } from '../support/contract.ts';
import { exchange } from '../support/raw-http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const withHeaders = (headers: Record<string, string>, path = '/v1/pets') =>
  app.call('GET', path, { key: null, headers });
const bearer = (key: string) => withHeaders({ authorization: `Bearer ${key}` });
const isPerAddress = (answer: Answer) => !headerOf(answer, 'ratelimit-policy')!.includes('"day"');

describe('an API key', () => {
  it('travels as bearer token or in X-API-Key', async () => {
    expect((await bearer(app.key)).status).toBe(200);
    expect((await withHeaders({ 'x-api-key': app.key })).status).toBe(200);
  });

  it.each(['bearer', 'BEARER', 'bEaReR', 'Bearer '])(
    'is taken under the scheme %j',
    async (scheme) => {
      expect((await withHeaders({ authorization: `${scheme} ${app.key}` })).status).toBe(200);
    },
  );

  it('may be sent in both headers when it is the same', async () => {
    const headers = { authorization: `Bearer ${app.key}`, 'x-api-key': app.key };
    expect((await withHeaders(headers)).status).toBe(200);
  });

  it.each(['/v1/pets', '/v1/nowhere', '/v1/plans', '/v1/pets/1/2'])(
    'is refused when both headers carry different ones, at the expense of the address: %s',
    async (path) => {
      const other = await app.addKey(['read']);
      for (const second of [other, generateApiKey().key, 'nonsense', '']) {
        const headers = { authorization: `Bearer ${app.key}`, 'x-api-key': second };
        const answer = await withHeaders(headers, path);
        expectError(answer, 'invalid_request');
        expect(isPerAddress(answer)).toBe(true);
      }
      const basic = { authorization: 'Basic abc', 'x-api-key': app.key };
      expectError(await withHeaders(basic, path), 'invalid_request');
    },
  );

  it('beside another scheme is refused with the reason, not as one of two keys', async () => {
    const headers = { authorization: 'Basic abc', 'x-api-key': app.key };
    const answer = await withHeaders(headers);
    expectError(answer, 'invalid_request');
    expect(answer.body).toMatchObject({
      message:
        'Authorization has the scheme Basic. Send the key in X-API-Key alone, or as `Authorization: Bearer <API_KEY>`.',
    });
  });

  it('is refused when its header is given twice', async () => {
    const lines = [`X-API-Key: ${app.key}\r\n`, `Authorization: Bearer ${app.key}\r\n`];
    for (const line of lines) {
      const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${line}${line}\r\n`;
      const { answers } = await exchange(app.address, request);
      expectError(answers[0]!, 'invalid_request');
    }
  });

  it('is ignored in a URL', async () => {
    for (const name of ['api_key', 'key', 'access_token', 'X-API-Key']) {
      const answer = await withHeaders({}, `/v1/pets?${name}=${app.key}`);
      expectError(answer, 'missing_api_key');
      expect(answer.text).not.toContain(app.key);
    }
    const { host } = new URL(app.address);
    const answer = await exchange(
      app.address,
      `GET http://${app.key}@${host}/v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    );
    expectError(answer.answers[0]!, 'invalid_request');
  });
});

describe('a request without a key that is good', () => {
  it('is 401 missing_api_key', async () => {
    const answer = await withHeaders({});
    expectError(answer, 'missing_api_key');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore"');
    expect(isPerAddress(answer)).toBe(true);
  });

  it('is answered alike for a key that is mistyped, unknown or revoked', async () => {
    const { key } = app;
    const last = key.at(-1) === 'a' ? 'b' : 'a';
    const revoked = await app.addKey(['read']);
    await app.transact((tx) => tx.keys.revoke(1, describeApiKey(revoked).id, Date.now()));
    const unknown = generateApiKey().key;
    const sameId = key.slice(0, 16) + unknown.slice(16);
    const wrong = [key.slice(0, -1) + last, unknown, revoked, sameId, key.slice(0, -1), `${key}a`];
    const answers = await Promise.all([...wrong, 'psk_', 'x', key.toLowerCase()].map(bearer));
    for (const answer of answers) {
      expectError(answer, 'invalid_api_key');
      expect(isPerAddress(answer)).toBe(true);
      expect(withoutRequestId(answer)).toBe(withoutRequestId(answers[0]!));
      expect([...answer.headers.keys()]).toEqual([...answers[0]!.headers.keys()]);
    }
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'Token x', ''])(
    'is refused for the Authorization header %j',
    async (authorization) => {
      expectError(await withHeaders({ authorization }), 'invalid_api_key');
    },
  );

  it('is refused where no key is needed, if it carries a wrong one', async () => {
    expect((await withHeaders({}, '/v1/plans')).status).toBe(200);
    expect((await withHeaders({ 'x-api-key': app.key }, '/v1/plans')).status).toBe(200);
    expectError(await withHeaders({ 'x-api-key': 'psk_wrong' }, '/v1/plans'), 'invalid_api_key');
  });

  it('is refused from the instant the key expires', async () => {
    const expiresAt = app.clock.now() + 60_000;
    const input = { name: 'short', scopes: ['read'] as const, expiresAt };
    const { key } = await app.transact((tx) =>
      createKey(tx, { workspaceId: 1, key: input, now: app.clock.now() }),
    );
    expect((await bearer(key)).status).toBe(200);
    app.clock.advance(60_000);
    expectError(await bearer(key), 'expired_api_key');
  });

  it('is refused after a revocation made elsewhere', async () => {
    const key = await app.addKey(['read']);
    expect((await bearer(key)).status).toBe(200);
    await app.transact((tx) => tx.keys.revoke(1, describeApiKey(key).id, Date.now()));
    await expect.poll(async () => (await bearer(key)).status).toBe(401);
    expectError(await bearer(key), 'invalid_api_key');
  });

  it('is refused at once after a revocation made here', async () => {
    const key = await app.addKey(['read']);
    expect((await bearer(key)).status).toBe(200);
    const { id } = describeApiKey(key);
    expect((await app.call('DELETE', `/v1/keys/${id}`)).status).toBe(204);
    expectError(await bearer(key), 'invalid_api_key');
  });

  it('does no harm to the real key', async () => {
    const wrong = app.key.slice(0, 16) + generateApiKey().key.slice(16);
    await Promise.all(Array.from({ length: 100 }, () => bearer(wrong)));
    expect((await bearer(app.key)).status).toBe(200);
  });
});

function withoutRequestId({ text, body }: Answer<{ requestId: string }>): string {
  return text.replace(body.requestId, '');
}
