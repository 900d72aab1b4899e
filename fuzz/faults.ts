// Values that a schema forbids, and the places in a body where they can go.

import type { Contract, Operation, Schema } from './document.ts';

export interface Spot {
  steps: readonly (string | number)[];
  schema: Schema;
  isRequired: boolean;
}

const CANDIDATES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  1e21,
  2 ** 53,
  2 ** 63,
  -(2 ** 53),
  '',
  ' ',
  '0',
  '1',
  'true',
  'null',
  'Available',
  'a\u0000b',
  'a\nb',
  '\u007f',
  '\u0085',
  [],
  {},
  [1],
  ['read', 'read'],
  ['root'],
  { a: 1 },
  { $ref: 'x' },
  '2026-02-30T00:00:00',
  '2026-01-01',
  '2026-01-01T25:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01 00:00:00Z',
  '10000-01-01T00:00:00Z',
  '1767225600',
  'x'.repeat(201),
];

export function forbiddenValues(contract: Contract, schema: Schema): unknown[] {
  const resolved = contract.resolve(schema);
  const { minimum, maximum, maxLength, maxItems } = resolved;
  const beyond = [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [new Array(maxItems + 1).fill(1)]),
  ];
  return [...CANDIDATES, ...beyond].filter((value) => !contract.isValid(resolved, value));
}

/** Every field of a body, at any depth. Of a list, only the first item. */
export function spotsOf(contract: Contract, { body }: Operation): Spot[] {
  return body ? fieldsOf(contract, body.schema, []) : [];
}

function fieldsOf(contract: Contract, schema: Schema, steps: Spot['steps']): Spot[] {
  const resolved = contract.resolve(schema);
  const { properties = {}, required = [], items } = resolved.anyOf?.[0] ?? resolved;
  const inside = items ? fieldsOf(contract, items, [...steps, 0]) : [];
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const at = [...steps, name];
    const spot = { steps: at, schema: field, isRequired: required.includes(name) };
    return [spot, ...fieldsOf(contract, field, at)];
  });
  return [...inside, ...fields];
}

/** Copies the body with another value at one place; undefined removes the field. */
export function withAt(body: unknown, [step, ...rest]: Spot['steps'], value: unknown): unknown {
  if (step === undefined) return value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<
    string,
    unknown
  >;
  const changed = withAt(copy[step], rest, value);
  if (changed === undefined) delete copy[step];
  else copy[step] = changed;
  return copy;
}
