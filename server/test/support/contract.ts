// Checks answers against the contract: the headers of every answer, the shape of errors, and the schemas of the OpenAPI
// document.

import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { errorTable } from '../../src/domain/errors.ts';
import { parseInstant } from '../../src/lib/instant.ts';
import { operations } from '../../src/operations/operations.ts';

export interface AnyAnswer {
  status: number;
  headers: Headers | Record<string, string>;
  text: string;
  body: unknown;
}

interface DocumentedResponse {
  content?: unknown;
  headers?: object;
  $ref?: string;
}

interface DocumentedOperation {
  operationId: string;
  responses: Record<string, DocumentedResponse>;
}

const SECURITY = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};
/** Of HTTP, CORS and proxies rather than of an operation. */
const OF_HTTP =
  /^(date|connection|keep-alive|vary|transfer-encoding|content-(type|length|encoding)|x-accel-buffering|(access-control|cross-origin)-.*)$/;
const WINDOW = /^"minute";r=\d+;t=\d+(, "day";r=\d+;t=\d+)?$/;
const POLICY = /^"minute";q=\d+;w=60(, "day";q=\d+;w=86400)?$/;

export const contract = openApiDocument(operations) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { responses: Record<string, DocumentedResponse> };
};

const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('date-time', (text) => parseInstant(text) !== undefined);
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
ajv.addSchema(contract, 'contract');
const validators = new Map<string, ValidateFunction>();

export function headerOf({ headers }: AnyAnswer, name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name];
}

/** On a slow machine an answer is judged long after it was made. */
function madeAt(answer: AnyAnswer): number {
  const date = headerOf(answer, 'date');
  return date === undefined ? Date.now() : Date.parse(date);
}

/** Checks the headers that every answer under /v1 has, as of when it was made. */
export function expectApiHeaders(answer: AnyAnswer, now = madeAt(answer)): void {
  const number = (name: string) => {
    expect(headerOf(answer, name), `${name} on ${answer.status}`).toMatch(/^\d+$/);
    return Number(headerOf(answer, name));
  };
  expect(number('x-ratelimit-remaining')).toBeLessThanOrEqual(number('x-ratelimit-limit'));
  expect(number('x-ratelimit-reset')).toBeGreaterThanOrEqual(Math.floor(now / 1000) - 1);
  expect(headerOf(answer, 'ratelimit')).toMatch(WINDOW);
  expect(headerOf(answer, 'ratelimit-policy')).toMatch(POLICY);
  expect(headerOf(answer, 'x-request-id')).toMatch(/^[\w.:/+=@-]{1,128}$/);
  expect(headerOf(answer, 'x-api-version')).toBe('1.0.0');
  for (const [name, value] of Object.entries(SECURITY)) {
    expect(headerOf(answer, name), `${name} on ${answer.status}`).toBe(value);
  }
  expect(headerOf(answer, 'x-powered-by')).toBeUndefined();
  expect(headerOf(answer, 'server')).toBeUndefined();
}

/** Checks an error: its body, and that status line, error table and headers agree with it. */
export function expectError(answer: AnyAnswer, code: keyof typeof errorTable): void {
  const { status } = errorTable[code];
  const where = answer.text.slice(0, 300);
  expect(answer.status, where).toBe(status);
  expect(headerOf(answer, 'content-type'), where).toBe('application/json; charset=utf-8');
  expect(answer.body, where).toMatchObject({
    code,
    status,
    message: expect.stringMatching(/.\.$/),
    docUrl: `/docs/errors#${code}`,
  });
  const body = answer.body as { requestId: string };
  expect(body.requestId).toBe(headerOf(answer, 'x-request-id'));
  expectSchema('#/components/schemas/Error', answer.body);
  if (status === 401) expect(headerOf(answer, 'www-authenticate')).toMatch(/^Bearer /);
  if (status === 429 || status === 503) {
    expect(headerOf(answer, 'retry-after')).toMatch(/^[1-9]\d*$/);
  }
  expectApiHeaders(answer);
}

/** Checks that the document describes this answer of the operation: status, schema and headers. */
export function expectDocumented(operationId: string, answer: AnyAnswer): void {
  const { path, method, responses } = findOperation(operationId);
  const response = responses[answer.status];
  expect(response, `${operationId} answered ${answer.status}: ${answer.text}`).toBeDefined();
  expectApiHeaders(answer);
  expectDocumentedHeaders(operationId, answer);
  if (response!.$ref) {
    expectError(answer, (answer.body as { code: keyof typeof errorTable }).code);
    return;
  }
  if (!response!.content) {
    expect(answer.text).toBe('');
    return;
  }
  const types = Object.keys(response!.content as object);
  if (types.includes('text/csv') || types.includes('application/gzip')) {
    expect(types).toContain(headerOf(answer, 'content-type'));
    return;
  }
  if ('text/event-stream' in (response!.content as object)) {
    expect(headerOf(answer, 'content-type')).toBe('text/event-stream');
    return;
  }
  expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8');
  const steps = ['paths', path, method, 'responses', String(answer.status)];
  const at = [...steps, 'content', 'application/json', 'schema'].map(pointerStep).join('/');
  expectSchema(`#/${at}`, answer.body);
}

/** Checks that the document lists the headers of this answer of the operation. */
export function expectDocumentedHeaders(operationId: string, answer: AnyAnswer): void {
  const { headers, status } = answer;
  const response = findOperation(operationId).responses[status]!;
  const shared = response.$ref?.split('/').at(-1);
  const listed = shared === undefined ? response : contract.components.responses[shared]!;
  const documented = new Set([
    ...Object.keys(listed.headers ?? {}).map((name) => name.toLowerCase()),
    ...Object.keys(SECURITY),
  ]);
  const sent = headers instanceof Headers ? [...headers.keys()] : Object.keys(headers);
  const others = sent.filter((name) => !documented.has(name) && !OF_HTTP.test(name));
  expect(others).toEqual([]);
}

function findOperation(operationId: string) {
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, { operationId: id, responses }] of Object.entries(methods)) {
      if (id === operationId) return { path, method, responses };
    }
  }
  throw new Error(`${operationId} is not in the OpenAPI document`);
}

function expectSchema(pointer: string, value: unknown): void {
  let isValid = validators.get(pointer);
  if (!isValid) {
    isValid = ajv.compile({ $ref: `contract${pointer}` });
    validators.set(pointer, isValid);
  }
  const faults = isValid(value) ? '' : ajv.errorsText(isValid.errors);
  expect(faults, `${pointer}: ${JSON.stringify(value)}`).toBe('');
}

function pointerStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
