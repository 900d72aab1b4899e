// Values that a schema allows.

import fc from 'fast-check';
import type { Contract, Operation, Schema } from './document.ts';
import { kindOf, Slot } from './request.ts';

const LONGEST_TEXT = 2_000;
const UNITS = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0x21, max: 0x7e }) },
  { weight: 1, arbitrary: fc.constantFrom(0x20, 0xa0, 0x3000, 0xfeff, 0x200b, 0x202e, 0x1f600) },
  { weight: 1, arbitrary: fc.integer({ min: 0xa1, max: 0xd7ff }) },
  { weight: 1, arbitrary: fc.integer({ min: 0x10000, max: 0x10ffff }) },
);

/** Texts with a meaning that no schema expresses: a URL that may be reached, a place in the feed, a secret, words. */
const MEANINGFUL: Readonly<Record<string, readonly string[]>> = {
  url: ['http://127.0.0.1:9/hooks', 'http://127.0.0.1:1025/'],
  after: ['0', 'latest'],
  eventId: ['1'],
  // Of the request log; the status of a pet is one of a list.
  status: ['4xx', '409', '5xx'],
  // At least one word and at most five. A reference is also part of a path.
  q: ['labra black', 'é', '1 2 3 4 5'],
  customer: ['Ada Lovelace', '李'],
  reference: ['SKU-1042', '4711', 'a.b'],
  secret: [`whsec_${'A'.repeat(32)}`, `whsec_${'/'.repeat(44)}`],
};

export class Values {
  readonly #contract: Contract;
  readonly #operation: Operation;

  constructor(contract: Contract, operation: Operation) {
    this.#contract = contract;
    this.#operation = operation;
  }

  of(schema: Schema, name = ''): fc.Arbitrary<unknown> {
    const resolved = this.#contract.resolve(schema);
    const plain = this.#plain(resolved, name);
    return resolved.nullable ? fc.option(plain, { freq: 4 }) : plain;
  }

  #plain(schema: Schema, name: string): fc.Arbitrary<unknown> {
    const kind = kindOf(name, this.#operation);
    if (kind !== undefined) return fc.nat({ max: 30 }).map((index) => new Slot(kind, index));
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (Object.hasOwn(MEANINGFUL, name)) return fc.constantFrom(...MEANINGFUL[name]!);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => this.of(one, name)));
    switch (schema.type) {
      case 'object':
        return schema.oneOf ? this.#allowed(this.#object(schema), schema) : this.#object(schema);
      case 'array':
        return this.#array(schema, name);
      case 'integer':
        return this.#allowed(integerOf(schema), schema);
      case 'boolean':
        return fc.boolean();
      default:
        if (name === 'expiresAt') return fc.oneof(dateTimes(), soon());
        return schema.format === 'date-time' ? dateTimes() : this.#allowed(textOf(schema), schema);
    }
  }

  #allowed<T>(values: fc.Arbitrary<T>, schema: Schema): fc.Arbitrary<T> {
    return values.filter((value) => this.#contract.isValid(schema, value));
  }

  #object({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
    const fields = Object.entries(properties).map(([name, schema]) => [
      name,
      this.of(schema, name),
    ]);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  }

  #array({ items, minItems = 0, maxItems = 5, uniqueItems }: Schema, name: string) {
    const item = this.of(items!, name);
    const lengths = { minLength: minItems, maxLength: Math.min(maxItems, 5) };
    return uniqueItems ? fc.uniqueArray(item, lengths) : fc.array(item, lengths);
  }
}

function integerOf({ minimum = 1 - 2 ** 53, maximum = 2 ** 53 - 1 }: Schema) {
  return fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) }) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
    {
      weight: 2,
      arbitrary: fc.integer({ min: Math.max(minimum, -20), max: Math.min(maximum, 20) }),
    },
  );
}

function textOf({ minLength = 0, maxLength = LONGEST_TEXT }: Schema): fc.Arbitrary<string> {
  const unit = UNITS.map((point) => String.fromCodePoint(point));
  return fc.oneof(
    { weight: 12, arbitrary: fc.string({ unit, minLength, maxLength: Math.min(maxLength, 20) }) },
    { weight: 1, arbitrary: fc.string({ unit, minLength: maxLength, maxLength, size: 'max' }) },
  );
}

/** Instants that come while the fuzzer runs, and some that an expiry may be. */
function soon(): fc.Arbitrary<string> {
  const ms = fc.constantFrom(1_000, 3_000, 3_600_000, 29 * 86_400_000);
  return ms.map((ahead) => new Date(Date.now() + ahead).toISOString());
}

function dateTimes(): fc.Arbitrary<string> {
  const min = new Date('0001-01-02T00:00:00Z');
  const max = new Date('9998-12-30T00:00:00Z');
  const offsets = fc.constantFrom('Z', '+00:00', '-12:00', '+05:45', '+14:00', 'z');
  return fc
    .tuple(
      fc.date({ min, max, noInvalidDate: true }),
      fc.constantFrom('', '.5', '.123456'),
      offsets,
    )
    .map(([date, fraction, offset]) => `${date.toISOString().slice(0, 19)}${fraction}${offset}`);
}
