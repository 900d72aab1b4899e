import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { expectDocumented, expectError } from '../support/contract.ts';

const SUNSET_MS = Date.UTC(2030, 11, 5);
const LINKS =
  '</docs/guide#deprecation>; rel="deprecation"; type="text/html", ' +
  '</docs/guide#deprecation>; rel="sunset"; type="text/html", ' +
  '</v1/pets?id=1>; rel="successor-version"';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
});

async function expectDeprecated(path: string, method = 'GET', headers = {}) {
  const answer = await app.call(method, path, { headers });
  expect(answer.headers.get('deprecation')).toBe('@1767225600');
  expect(answer.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  return answer;
}

describe('a deprecated operation', () => {
  it('has its dates and its successor in the headers of every response', async () => {
    const found = await expectDeprecated('/v1/pets/1');
    expect(found.status).toBe(200);
    expect(found.headers.get('link')).toBe(LINKS);
    expect((await expectDeprecated('/v1/pets/1', 'HEAD')).status).toBe(200);
    for (const [path, status] of [
      ['/v1/pets/424242', 404],
      ['/v1/pets/abc', 400],
    ] as const) {
      const refused = await expectDeprecated(path);
      expect(refused.status).toBe(status);
      expectDocumented('getPet', refused);
    }
    const etag = found.headers.get('etag')!;
    const unchanged = await expectDeprecated('/v1/pets/1', 'GET', { 'if-none-match': etag });
    expect(unchanged.status).toBe(304);
  });

  it('links to a section of the documentation that exists', async () => {
    const { text } = await app.call('GET', '/docs/guide', { key: null });
    expect(text).toContain('<section id="deprecation">');
  });

  it('names a successor that returns the same record', async () => {
    const { body } = await app.call('GET', '/v1/pets/1');
    const successor = await app.call('GET', '/v1/pets?id=1');
    expect(successor.body).toEqual([body]);
    expect(successor.headers.has('deprecation')).toBe(false);
  });

  it('does not mark the other operations of its path', async () => {
    const { headers } = await app.call('PATCH', '/v1/pets/1', { body: {} });
    expect(headers.has('deprecation')).toBe(false);
    expect(headers.has('sunset')).toBe(false);
    expect(headers.has('link')).toBe(false);
  });

  it('encodes what its links take from the request', async () => {
    const { headers } = await app.call('GET', '/v1/pets/%3E%22%0d%0a;x');
    expect(headers.get('link')).toContain(
      '</v1/pets?id=%3E%22%0D%0A%3Bx>; rel="successor-version"',
    );
  });
});

describe('after its sunset', () => {
  it('is served until the last moment and 410 from the sunset on', async () => {
    app.clock.advance(SUNSET_MS - app.clock.now() - 60_000);
    expect((await app.call('GET', '/v1/pets/1')).status).toBe(200);
    app.clock.advance(60_000);
    const answer = await expectDeprecated('/v1/pets/1');
    expectError(answer, 'operation_sunset');
    expect(answer.headers.get('link')).toBe(LINKS);
    expect(answer.body.message).toContain('GET /pets?id={petId}');
    expect(answer.body.details).toEqual({
      sunset: '2030-12-05',
      successor: 'GET /pets?id={petId}',
    });
    const head = await expectDeprecated('/v1/pets/1', 'HEAD');
    expect(head.status).toBe(410);
  });

  it('still needs a key', async () => {
    expectError(await app.call('GET', '/v1/pets/1', { key: null }), 'missing_api_key');
  });

  it('affects neither the other operations of its path nor its successor', async () => {
    expect((await app.call('PATCH', '/v1/pets/1', { body: {} })).status).toBe(200);
    expect((await app.call('GET', '/v1/pets?id=1')).status).toBe(200);
    expect((await app.call('DELETE', '/v1/pets/1')).status).toBe(204);
  });
});
