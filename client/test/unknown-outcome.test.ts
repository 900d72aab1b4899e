// Whether a write may have been done, by what became of its attempts.

import { expect, it } from 'vitest';
import { Writes } from '../src/cli/unknown-outcome.ts';
import { ConnectionError, PetstoreError } from '../src/errors.ts';

/** Of the attempts of one write. */
function isUnknownAfter(...errors: unknown[]): boolean {
  const writes = new Writes();
  for (const [attempt, error] of errors.entries()) {
    writes.note({ method: 'POST', path: '/store/orders', attempt, durationMs: 1, error });
  }
  return writes.isUnknown;
}

function lost(code: string): ConnectionError {
  const cause = Object.assign(new Error('fetch failed'), { cause: { code } });
  return new ConnectionError({ code: 'connection_failed', message: code, status: 0, cause });
}

function refused(status: number, code: string): PetstoreError {
  return new PetstoreError({ code, message: code, status });
}

it.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('a write that failed with %s was not sent', (code) => {
  expect(isUnknownAfter(lost(code))).toBe(false);
});

it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT'])(
  'a write that failed with %s may be done',
  (code) => {
    expect(isUnknownAfter(lost(code))).toBe(true);
  },
);

it.each([
  ['done', undefined, false],
  ['409 insufficient_stock', refused(409, 'insufficient_stock'), false],
  ['404 not_found', refused(404, 'not_found'), false],
  ['409 idempotency_in_progress', refused(409, 'idempotency_in_progress'), true],
  ['404 of a proxy', refused(404, 'unexpected_answer'), true],
  ['429 rate_limit_exceeded', refused(429, 'rate_limit_exceeded'), true],
  ['401 invalid_api_key', refused(401, 'invalid_api_key'), true],
  ['503 overloaded', refused(503, 'overloaded'), true],
  ['ECONNREFUSED', lost('ECONNREFUSED'), true],
])('a lost write whose next attempt ends with %s leaves what is known', (_, error, isUnknown) => {
  expect(isUnknownAfter(lost('ECONNRESET'), error)).toBe(isUnknown);
});
