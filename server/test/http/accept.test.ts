import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../../src/domain/errors.ts';
import { negotiate } from '../../src/http/steps/negotiate.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
const ask = (accept: string) => app.call('GET', '/v1/pets', { headers: { accept } });

describe('the Accept header', () => {
  it.each([
    '*/*',
    'application/json',
    'APPLICATION/JSON',
    'application/*',
    'application/json; charset=utf-8',
    'text/html, application/json;q=0.1',
    'text/html;q=0.9, */*;q=0.1',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json;q=0.001, text/html',
    'application/*;q=0, application/json',
    '*/*;q=0, application/json',
    '',
  ])('is met by JSON: %j', async (accept) => {
    expect((await ask(accept)).status).toBe(200);
  });

  it.each([
    'text/html',
    'application/xml',
    'application/problem+json',
    'application/vnd.petstore+json',
    'image/*',
    'application/json;q=0',
    'application/json;q=0.000, text/html',
    'application/json;q=0, */*',
    'application/*;q=0, */*',
    '*/*;q=0',
    'json',
  ])('is 406 when it rules JSON out: %j', async (accept) => {
    expectError(await ask(accept), 'not_acceptable');
  });

  it('may be missing', async () => {
    const response = await app.server.inject({
      url: '/v1/pets',
      headers: { authorization: `Bearer ${app.key}` },
    });
    expect(response.statusCode).toBe(200);
  });

  it('is checked before a write takes effect', async () => {
    const options = { body: { name: 'Dogs' }, headers: { accept: 'text/html' } };
    expectError(await app.call('POST', '/v1/categories', options), 'not_acceptable');
    expect((await app.call('GET', '/v1/categories')).body).toEqual([]);
  });

  it('is parsed whatever it contains', () => {
    const refusalOf = (accept: string) =>
      (negotiate({ headers: { accept }, state: {} } as never) as Refusal | undefined)?.code;
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
        expect([undefined, 'not_acceptable']).toContain(refusalOf(text));
      }),
    );
    expect(refusalOf(';q=,'.repeat(4_000))).toBe('not_acceptable');
    expect(refusalOf(' '.repeat(16_000))).toBeUndefined();
  });
});
