import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { exchange } from '../support/raw-http.ts';

/** It begins with no hyphen: the command line would take such an id for an option. */
const OURS = /^[0-9a-f]{18}-[0-9a-z]+$/;

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
const ask = (requestId: string, path = '/v1/pets') =>
  app.call('GET', path, { headers: { 'x-request-id': requestId } });

describe('X-Request-Id', () => {
  it.each([
    'a',
    'req_123',
    '0b5f7a52-8f9e-4c1e-9d5b-6a1f0f7d2b11',
    'a/b+c=@d:e.f',
    'x'.repeat(128),
  ])('is the client’s own when it is sane: %s', async (requestId) => {
    expect((await ask(requestId)).headers.get('x-request-id')).toBe(requestId);
    const refused = await ask(requestId, '/v1/pets/abc');
    expect(refused.headers.get('x-request-id')).toBe(requestId);
    expect(refused.body.requestId).toBe(requestId);
  });

  it.each(['', 'a b', 'x'.repeat(129), '<script>', '{"a":1}', 'a,b', 'é', 'a"b', '%0a'])(
    'is ours when the client’s is not: %j',
    async (requestId) => {
      const given = (await ask(requestId)).headers.get('x-request-id');
      expect(given).toMatch(OURS);
      expect(given).not.toBe(requestId);
    },
  );

  it('is ours when the client sends two', async () => {
    const twice = 'X-Request-Id: a\r\nX-Request-Id: b\r\n';
    const request = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\n${twice}\r\n`;
    const { answers } = await exchange(app.address, request);
    expect(answers[0]!.headers['x-request-id']).toMatch(OURS);
  });

  it('is never the same twice', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.call('GET', '/v1/pets')),
    );
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(50);
  });
});
