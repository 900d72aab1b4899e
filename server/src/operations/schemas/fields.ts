import { Type } from 'typebox';
import { petStatuses } from '../../domain/stock.ts';
import { parseInstant } from '../../lib/instant.ts';

// At least one visible character, no control characters. Matching takes linear time.
const VISIBLE = '^(?=[\\s\\uFEFF]*[^\\s\\uFEFF])[^\\u0000-\\u001F\\u007F-\\u009F]*$';
const NO_CONTROL = '^[^\\u0000-\\u001F\\u007F-\\u009F]*$';
const ID_MAX = Number.MAX_SAFE_INTEGER;

export function id(description: string) {
  return Type.Integer({ format: 'int64', minimum: 1, maximum: ID_MAX, description });
}

export function name(description: string, example: string) {
  const limits = { minLength: 1, maxLength: 200, pattern: VISIBLE };
  return Type.String({ ...limits, 'x-trimmed': true, description, example });
}

export function text(description: string, maxLength: number, minLength = 0) {
  const least = minLength > 0 ? { minLength } : {};
  return Type.String({ ...least, maxLength, pattern: NO_CONTROL, description });
}

/** A text that null clears in a patch. */
export function clearableText(description: string, maxLength: number) {
  const schema = { type: 'string', nullable: true, maxLength, pattern: NO_CONTROL, description };
  return Type.Unsafe<string | null>(schema);
}

export function instant(description: string) {
  const example = '2026-12-24T10:00:00Z';
  return Type.String({ format: 'date-time', description, example });
}

/** Epoch milliseconds of a text that the schema `instant` has accepted. */
export function readInstant(text: string): number {
  const at = parseInstant(text);
  if (at === undefined) throw new Error(`${text} was not checked`);
  return at;
}

export function count(description: string, minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum, description });
}

export function choice<const V extends string>(values: readonly V[], description: string) {
  return Type.Unsafe<V>({ type: 'string', enum: values, description });
}

export const PetStatus = Type.Unsafe<(typeof petStatuses)[number]>({
  title: 'PetStatus',
  type: 'string',
  enum: petStatuses,
  description:
    'Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`.',
});
