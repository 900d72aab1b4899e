import fc from 'fast-check';
import type { Contract, Operation, Parameter } from './document.ts';
import { forbiddenValues } from './faults.ts';
import { invalidBodies } from './invalid-bodies.ts';
import { type Case, kindOf, Slot } from './request.ts';
import { written } from './valid-requests.ts';

type Break = (valid: Case) => fc.Arbitrary<Case>;

const BAD_IDS = [
  '0',
  '-1',
  '01',
  '+1',
  '1.0',
  '1e3',
  'abc',
  '%20',
  '1%20',
  '%00',
  '9223372036854775808',
  '1;2',
  '٣',
  '1%2f2',
];
const HUGE_IDS = ['9007199254740992', '9007199254740993', '9223372036854775807'];
const METHODS = [
  'PUT',
  'TRACE',
  'OPTIONS',
  'PROPFIND',
  'POST',
  'PATCH',
  'DELETE',
  'GET',
  'LINK',
  'QUERY',
];
const BAD_ACCEPTS = [
  'text/html',
  'application/xml, text/*;q=0.5',
  'application/json;q=0',
  '*/*;q=0',
];
const BAD_KEYS = [
  '',
  'Bearer',
  'Bearer x',
  'Basic YTpi',
  `Bearer psk_${'0'.repeat(50)}`,
  'Bearer a b',
  'psk_',
];
const BAD_IDEMPOTENCY_KEYS = ['', 'a b', 'x'.repeat(256), '\xe9', 'a\tb'];

/** Valid requests with exactly one fault added. */
export function invalidRequests(
  contract: Contract,
  operation: Operation,
  valid: fc.Arbitrary<Case>,
): fc.Arbitrary<Case> {
  const breaks: Break[] = [
    ...bodyBreaks(contract, operation),
    ...queryBreaks(contract, operation),
    ...pathBreaks(operation),
    ...headerBreaks(contract, operation),
  ];
  return valid.chain((request) =>
    fc
      .constantFrom(...breaks)
      .chain((breakOne) => breakOne({ ...request, kind: 'invalid', headers: {} })),
  );
}

function bodyBreaks(contract: Contract, operation: Operation): Break[] {
  if (!operation.body) return [];
  return invalidBodies(contract, operation).map(
    (breakBody) => (valid) => breakBody(valid.body ?? {}).map((fault) => ({ ...valid, ...fault })),
  );
}

function queryBreaks(contract: Contract, { parameters }: Operation): Break[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const unknown = ['x', 'Limit', 'limit[]', 'api_key', '__proto__', '', 'toString', 'id.', 'page'];
  const add =
    (name: string, value: Slot | string, why: string): Break =>
    (valid) =>
      fc.constant({ ...valid, why, query: [...valid.query, [name, value]], expected: [400] });
  return [
    (valid) =>
      fc
        .constantFrom(...unknown.filter((name) => !known.some((one) => one.name === name)))
        .chain((name) => add(name, '1', `has the query parameter ${name}`)(valid)),
    (valid) =>
      fc
        .constantFrom('%', '%zz', '%c3', '%ff', '%ed%a0%80')
        .chain((text) => add('x', text, `has ${text}`)(valid)),
    ...known.flatMap((parameter) => parameterBreaks(contract, parameter)),
  ];
}

function parameterBreaks(contract: Contract, { name, schema }: Parameter): Break[] {
  const item = schema.type === 'array' ? schema.items! : schema;
  const bad = textsAgainst(contract, item, name);
  const without = (valid: Case) => valid.query.filter(([other]) => other !== name);
  const replace = (pairs: [string, string][], why: string) => (valid: Case) =>
    fc.constant({ ...valid, why, query: [...without(valid), ...pairs], expected: [400] });
  const good = item.enum ? String(item.enum[0]) : '1';
  const most = schema.type === 'array' ? schema.maxItems! : 1;
  return [
    (valid) =>
      fc
        .constantFrom(...bad)
        .chain((text) => replace([[name, text]], `${name} is ${text.slice(0, 40)}`)(valid)),
    replace(new Array(most + 1).fill([name, good]), `${name} is given too often`),
  ];
}

/** Texts that do not parse as this schema. Free text has few of them. */
function textsAgainst(contract: Contract, schema: Parameter['schema'], name: string): string[] {
  const beyond = forbiddenValues(contract, schema).filter((value) => typeof value === 'string');
  const common =
    schema.type === 'string' && !schema.enum && !schema.format
      ? []
      : ['', '%20', 'x', '1%00', '٣', '[1]'];
  const numbers =
    schema.type === 'integer'
      ? [...BAD_IDS, '1_000', '0x1', '- 1'].filter((text) => schema.minimum !== 0 || text !== '0')
      : [];
  const made = name === 'cursor' ? ['x', 'W10', 'eyJpZCI6MX0', '1', '%27%20OR%201=1--'] : [];
  const isNoText = schema.type === 'integer' || schema.type === 'boolean';
  const texts = isNoText ? [] : beyond.map((value) => written(value) as string);
  const range = [schema.minimum, schema.maximum].flatMap((bound, index) =>
    bound === undefined ? [] : [String(bound + (index === 0 ? -1 : 1))],
  );
  // A longer one would be refused for its length first.
  return [...common, ...numbers, ...made, ...texts, ...range].filter((text) => text.length < 8_000);
}

function pathBreaks(operation: Operation): Break[] {
  const [parameter] = operation.parameters.filter((one) => one.in === 'path');
  if (!parameter) return [];
  const { name } = parameter;
  const replace =
    (value: Slot | string, why: string, expected: number[]): Break =>
    (valid) =>
      fc.constant({ ...valid, why, expected, pathValues: { ...valid.pathValues, [name]: value } });
  const kind = kindOf(name, operation);
  const foreign: Break = (valid) =>
    fc
      .nat({ max: 30 })
      .chain((index) =>
        replace(new Slot(kind!, index, true), 'names a foreign record', [404])(valid),
      );
  const isOfOneStore = operation.tag !== 'admin';
  if (parameter.schema.type === 'string') {
    // A reference that no pet has makes a new pet.
    const isMade = name === 'reference';
    const texts = ['%20', '%00', ...(isMade ? [] : ['x', '0'.repeat(12), 'a'.repeat(13)])];
    const none: Break = (valid) =>
      fc
        .constantFrom(...texts)
        .chain((text) => replace(text, `${name} is ${text}`, [isMade ? 400 : 404])(valid));
    return isOfOneStore && kind ? [none, foreign] : [none];
  }
  return [
    (valid) =>
      fc
        .constantFrom(...BAD_IDS)
        .chain((text) => replace(text, `${name} is ${text}`, [400])(valid)),
    (valid) =>
      fc
        .constantFrom(...HUGE_IDS)
        .chain((text) => replace(text, `${name} is ${text}`, [404])(valid)),
    ...(isOfOneStore ? [foreign] : []),
  ];
}

function headerBreaks(contract: Contract, operation: Operation): Break[] {
  const set =
    (header: string, values: string[], expected: number[]): Break =>
    (valid) =>
      fc.constantFrom(...values).map((value) => ({
        ...valid,
        why: `${header} is ${value}`,
        headers: { [header]: value },
        expected,
      }));
  const taken = contract.methodsOf(operation.path);
  const others = METHODS.filter((method) => !taken.includes(method));
  const isOpen = operation.scope === 'none';
  const isWrite = operation.method !== 'GET';
  return [
    set('accept', BAD_ACCEPTS, [406]),
    set('authorization', BAD_KEYS, [401]),
    set('x-api-key', ['other', `psk_${'0'.repeat(50)}`], [400]),
    (valid) =>
      fc.constantFrom(...others).map((method) => ({
        ...valid,
        method,
        why: `is sent with ${method}`,
        body: undefined,
        expected: [405],
      })),
    ...(isWrite ? [set('Idempotency-Key', BAD_IDEMPOTENCY_KEYS, [400])] : []),
    ...(operation.body ? [set('content-encoding', ['gzip', 'br', 'x'], [415])] : []),
    ...(isOpen ? [] : [withCredentials('none', 401)]),
    ...(isOpen || !isWrite || operation.scope === 'any' ? [] : [withCredentials('read-only', 403)]),
  ];
}

function withCredentials(credentials: Case['credentials'], status: number): Break {
  return (valid) =>
    fc.constant({
      ...valid,
      credentials,
      why: `has ${credentials} credentials`,
      expected: [status],
    });
}
