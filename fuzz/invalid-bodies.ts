import fc from 'fast-check';
import type { Contract, Operation } from './document.ts';
import { forbiddenValues, spotsOf, withAt } from './faults.ts';
import { bodyText, RawBody } from './request.ts';

export interface Fault {
  why: string;
  /** The body with the fault in it. */
  body: unknown;
  headers?: Record<string, string>;
  expected: readonly number[];
}

const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];
const EXTRA_FIELDS = ['colour', 'workspaceId', 'createdAt', 'toString', 'Name', 'ID', '$where', ''];
const NO_OBJECTS = ['[]', 'null', '1', '"text"', 'true', ' 0 '];
const BAD_NUMBERS = [
  '1.0',
  '1e2',
  '1e400',
  '-1e400',
  '01',
  '+1',
  '.5',
  '1.',
  '0x10',
  'NaN',
  'Infinity',
];
const TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/jsonp',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
];
const LARGEST_BODY = 256 * 1024;

/** Breaks a valid body in one place. */
export function invalidBodies(
  contract: Contract,
  operation: Operation,
): ((valid: unknown) => fc.Arbitrary<Fault>)[] {
  const spots = spotsOf(contract, operation);
  const atSpots = spots.flatMap((spot) => {
    const faulty = forbiddenValues(contract, spot.schema).map((value) => ({ spot, value }));
    return spot.isRequired ? [...faulty, { spot, value: undefined }] : faulty;
  });
  return [
    (valid) =>
      fc.constantFrom(...atSpots).map(({ spot, value }) => ({
        why: `${spot.steps.join('.')} is ${JSON.stringify(value)?.slice(0, 60)}`,
        body: withAt(strictOf(operation, valid, spot.steps), spot.steps, value),
        expected: [400],
      })),
    (valid) =>
      fc
        .tuple(fc.constantFrom(...EXTRA_FIELDS), fc.jsonValue({ maxDepth: 1 }))
        .map(([name, value]) => ({
          why: `has the field ${name}`,
          body: { ...(valid as object), [name]: value },
          expected: [400],
        })),
    (valid) => textFaults(JSON.stringify(plain(valid))),
    () =>
      fc.constantFrom(...TYPES).map((type) => ({
        why: `has the type ${type}`,
        body: {},
        headers: { 'content-type': type },
        expected: [415],
      })),
  ];
}

/** A batch that accepts rows one by one reports invalid rows one by one. */
function strictOf({ id }: Operation, valid: unknown, steps: readonly unknown[]): unknown {
  return id === 'createPets' && steps[0] === 'pets' ? withAt(valid, ['mode'], undefined) : valid;
}

/** Ids are filled in when a request is sent. A text made before has an id that may not exist. */
function plain(body: unknown): unknown {
  return JSON.parse(bodyText(body ?? {}, () => 1));
}

function textFaults(text: string): fc.Arbitrary<Fault> {
  const fault = (why: string, body: string | Buffer, expected = [400]): Fault => ({
    why,
    body: new RawBody(body),
    expected,
  });
  const inner = text.slice(1, -1);
  const first = inner === '' ? '"a":1' : inner;
  return fc.oneof(
    fc
      .integer({ min: 1, max: Math.max(1, text.length - 1) })
      .map((end) => fault('is cut short', text.slice(0, end))),
    fc.constantFrom(...NO_OBJECTS).map((body) => fault('is no object', body)),
    fc
      .constantFrom(...FORBIDDEN_KEYS)
      .map((key) =>
        fault(`has the key ${key}`, `{"${key}":{"x":1}${inner === '' ? '' : `,${inner}`}}`),
      ),
    fc
      .constantFrom(...BAD_NUMBERS)
      .map((number) => fault(`has the number ${number}`, `{"zz":${number}}`)),
    fc
      .integer({ min: 33, max: 40_000 })
      .map((depth) => fault('is nested deep', `{"zz":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
    fc.constantFrom(
      fault('has a key twice', `{${first},${first}}`),
      fault('has half a surrogate pair', '{"name":"\\ud800"}'),
      fault('is not UTF-8', Buffer.from('{"name":"\xff\xfe"}', 'latin1')),
      fault('starts with a byte order mark', `\ufeff${text}`),
      fault('has something behind it', `${text}x`),
      fault('has a comment', `{/**/${inner}}`),
      fault('has single quotes', "{'name':'a'}"),
      fault('is too large', `{"zz":"${'x'.repeat(LARGEST_BODY)}"}`, [413]),
    ),
  );
}
