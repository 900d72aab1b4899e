// What must be true of every answer to any request.

import type { Contract } from './document.ts';
import type { Case } from './request.ts';
import type { Answer } from './wire.ts';

const LEAKS = [
  /\bat \S+ \(?\S+:\d+:\d+/,
  /node_modules|node:internal/,
  /\.(ts|js|mjs):\d+/,
  /SQLITE|sqlite_|better-sqlite3/,
  /\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bWHERE\b.+=/,
  /\/(home|tmp|usr|var|work)\//,
  /\b(TypeError|RangeError|SyntaxError|ReferenceError|Refusal|FST_ERR)\b/,
];
const SHOWS_KEY = new Set(['createKey', 'rotateKey', 'adminCreateWorkspace', 'signUp']);
const WINDOWS = /^"minute";r=\d+;t=\d+(, "day";r=\d+;t=\d+)?$/;
const POLICY = /^"minute";q=\d+;w=60(, "day";q=\d+;w=86400)?$/;
const FIXED: Record<string, string> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};
/** Statuses of requests that are not HTTP, or not for any operation. */
const OF_BYTES = new Set([400, 401, 403, 404, 405, 406, 408, 413, 415, 417, 429, 431]);
/** Fields that may be refused although the schema allows them, because they must name an existing record. */
const STATEFUL_MESSAGES =
  /^(cannot be combined|must be the name of the workspace$|must be the same as in the path|is the same as in \w+\.\d+$)|all grants of the day together$/;
const STATEFUL_FIELDS = new Set([
  'asOf',
  'categoryId',
  'petId',
  'expiresAt',
  'limits',
  'plan',
  'delta',
]);
const STATEFUL = new Set([403, 404, 409, 412, 422, 429]);

export function faultsOf(
  contract: Contract,
  input: Case,
  answer: Answer,
  slowMs: number,
): string[] {
  const isHead = input.method === 'HEAD';
  const body = isHead ? undefined : parse(answer.text);
  return [
    ...statusFaults(input, answer, body),
    ...headerFaults(answer, input.kind === 'bytes' && answer.status < 405),
    ...bodyFaults(contract, input, answer, body, isHead),
    ...leaks(input, answer),
    ...(answer.ms > slowMs ? [`took ${Math.round(answer.ms)} ms`] : []),
  ];
}

function statusFaults({ kind, expected, operation }: Case, { status }: Answer, body: unknown) {
  if (status >= 500) return [`answered ${status}`];
  if (kind === 'bytes') {
    const isKnown = OF_BYTES.has(status) || operation.statuses.has(status) || status < 400;
    return isKnown ? [] : [`answered ${status}, which no document foresees`];
  }
  if (!operation.statuses.has(status) && status !== 405)
    return [`answered ${status}, undocumented`];
  if (kind === 'invalid') {
    // Fields that contradict each other are refused before a record that is not there.
    const isContradiction = expected!.includes(404) && status === 400 && isStateful(body);
    // In mode `each` a row that is at fault is refused by itself.
    const isRowRefused = status === 200 && Number((body as { refused?: number })?.refused) > 0;
    const isRight = expected!.includes(status) || status === 429 || isContradiction || isRowRefused;
    return isRight ? [] : [`answered ${status} instead of ${expected!.join(' or ')}`];
  }
  if (status < 400 || STATEFUL.has(status)) return [];
  return status === 400 && isStateful(body) ? [] : [`refused what the schema allows: ${status}`];
}

function isStateful(body: unknown): boolean {
  const { details } = (body ?? {}) as { details?: { field: string; message: string }[] };
  const hasState = (field: string) => field.split('.').some((step) => STATEFUL_FIELDS.has(step));
  const isAllowed = ({ field, message }: { field: string; message: string }) =>
    hasState(field) || STATEFUL_MESSAGES.test(message);
  return Array.isArray(details) && details.every(isAllowed);
}

/** Broken bytes may have a path outside the API, whose answers have no rate limit headers. */
function headerFaults({ status, headers, sentAt }: Answer, mayBePage: boolean): string[] {
  const faults: string[] = [];
  const expectThat = (isRight: boolean, fault: string) => {
    if (!isRight) faults.push(fault);
  };
  for (const [name, value] of Object.entries(FIXED)) {
    expectThat(headers[name] === value, `${name} is ${headers[name]}`);
  }
  if (mayBePage && !('x-api-version' in headers)) return faults;
  expectThat(headers['x-api-version'] === '1.0.0', 'no x-api-version');
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers[`x-ratelimit-${name}`] ?? '';
    expectThat(/^\d+$/.test(value), `x-ratelimit-${name} is ${value}`);
    return Number(value);
  }) as [number, number, number];
  expectThat(remaining <= limit, `${remaining} remaining of ${limit}`);
  expectThat(reset >= Math.floor(sentAt / 1000) - 1, `reset at ${reset} has passed`);
  expectThat(WINDOWS.test(headers.ratelimit ?? ''), `ratelimit is ${headers.ratelimit}`);
  expectThat(POLICY.test(headers['ratelimit-policy'] ?? ''), 'ratelimit-policy is not right');
  expectThat(/^[\w.:/+=@-]{1,128}$/.test(headers['x-request-id'] ?? ''), 'no sane x-request-id');
  if (status === 429 || status === 503) {
    expectThat(/^[1-9]\d*$/.test(headers['retry-after'] ?? ''), 'no retry-after');
  }
  if (status === 401)
    expectThat(/^Bearer /.test(headers['www-authenticate'] ?? ''), 'no challenge');
  if (status === 405) expectThat((headers.allow ?? '') !== '', 'no allow');
  expectThat(!('server' in headers || 'x-powered-by' in headers), 'names its software');
  return faults;
}

function bodyFaults(
  contract: Contract,
  { kind, operation }: Case,
  { status, headers, text }: Answer,
  body: unknown,
  isHead: boolean,
): string[] {
  if (isHead) return text === '' ? [] : ['a body on HEAD'];
  if (status === 204 || status === 304) return text === '' ? [] : [`a body on ${status}`];
  if (headers['content-type'] !== 'application/json; charset=utf-8') {
    return kind === 'bytes' && status < 400 ? [] : [`content-type is ${headers['content-type']}`];
  }
  if (status < 400) {
    const fault = kind === 'bytes' ? undefined : contract.bodyFault(operation, status, body);
    return fault ? [`the body is not as documented: ${fault}`] : [];
  }
  const fault = contract.errorFault(body);
  if (fault) return [`the error is not as documented: ${fault}`];
  const error = body as { status: number; requestId: string };
  return [
    ...(error.status === status ? [] : [`says ${error.status} in a body of ${status}`]),
    ...(error.requestId === headers['x-request-id'] || 'idempotency-replayed' in headers
      ? []
      : ['names another request']),
  ];
}

function leaks({ operation }: Case, { headers, text }: Answer): string[] {
  const whole = `${JSON.stringify(headers)}\n${text}`;
  const found = LEAKS.filter((leak) => leak.test(whole)).map((leak) => `leaks ${leak}`);
  // A sign-in has the secret in its cookie, and nowhere else.
  const { 'set-cookie': _, ...others } = headers;
  const searched = operation.id === 'createSession' ? `${JSON.stringify(others)}\n${text}` : whole;
  const isKeyShown = /psk_[0-9A-Za-z]{50}/.test(searched) && !SHOWS_KEY.has(operation.id);
  return isKeyShown ? [...found, 'shows a key'] : found;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
