import type { TProperties } from 'typebox';
import { petStatuses } from '../../domain/stock.ts';
import { parseInstant } from '../../lib/instant.ts';
import { CONTROL } from '../../lib/text.ts';
import { Type } from './type.ts';

// At least one visible character, no control characters. Matching takes linear time.
const VISIBLE = `^(?=[\\s\\uFEFF]*[^\\s\\uFEFF])[^${CONTROL}]*$`;
export const NO_CONTROL = `^[^${CONTROL}]*$`;
const SPACE = ' \\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF';
const INK = `[^${SPACE}${CONTROL}]`;
const NAME_LIMITS = { minLength: 1, maxLength: 200, pattern: VISIBLE };
/** Above it, JSON parsers round integers. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

/** An object that has these fields and no others. Its title makes it a component of the contract. */
export function object<P extends TProperties>(title: string, properties: P, options: object = {}) {
  return Type.Object(properties, { title, additionalProperties: false, ...options });
}

export function id(description: string) {
  return Type.Integer({ format: 'int64', minimum: 1, maximum: INTEGER_MAX, description });
}

export function name(description: string, example: string) {
  return Type.String({ ...NAME_LIMITS, description, example });
}

/** The pattern of texts that have 1 to `maxLength` characters after trimming. */
export function beforeTrimming(maxLength: number): string {
  return `^[${SPACE}]*${INK}(?:[^${CONTROL}]{0,${maxLength - 2}}${INK})?[${SPACE}]*$`;
}

/** A name in a body. It is trimmed before its limits are checked. */
export function newName(what: string, example: string) {
  const description = `${what} 1 to 200 characters after trimming.`;
  return Type.String({ ...NAME_LIMITS, 'x-trimmed': beforeTrimming(200), description, example });
}

const REFERENCE_LIMITS = { minLength: 1, maxLength: 100, pattern: VISIBLE };

/** A number or a name in a system of the client. */
export function reference(description: string) {
  return Type.String({ ...REFERENCE_LIMITS, description, example: 'SKU-1042' });
}

/** A reference in a body, trimmed before its limits are checked. Null clears it in a patch. */
export function newReference(what: string, options: { nullable?: true } = {}) {
  const description = `${what} 1 to 100 characters after trimming.`;
  const trimmed = { 'x-trimmed': beforeTrimming(100) };
  return Type.String({ ...REFERENCE_LIMITS, ...trimmed, ...options, description });
}

/** A text that people read, as a record has it. */
export function line(description: string, maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: VISIBLE, description });
}

/** The same in a body, trimmed before its limits are checked. */
export function newLine(what: string, maxLength: number) {
  return Type.String(newLineSchema(what, maxLength));
}

/** The same in a patch, where null clears it. */
export function clearableLine(what: string, maxLength: number) {
  return Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    ...newLineSchema(`${what} Null clears it.`, maxLength),
  });
}

function newLineSchema(what: string, maxLength: number) {
  const trimmed = beforeTrimming(maxLength);
  const description = `${what} 1 to ${maxLength} characters after trimming.`;
  return { minLength: 1, maxLength, pattern: VISIBLE, 'x-trimmed': trimmed, description };
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

/** An instant that null clears in a patch. */
export function clearableInstant(description: string) {
  const schema = { type: 'string', format: 'date-time', nullable: true, description };
  return Type.Unsafe<string | null>(schema);
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

/** A choice in responses to which later versions may add. */
export function openChoice<const V extends string>(values: readonly V[], description: string) {
  const closed = choice(values, `${description} Later versions may add values.`);
  return Type.Unsafe<V>({ ...closed, 'x-extensible': true });
}

export const PetStatus = Type.Unsafe<(typeof petStatuses)[number]>({
  title: 'PetStatus',
  type: 'string',
  enum: petStatuses,
  description:
    'Derived from the stock: `sold` if none is left, `pending` if held or all is reserved, else `available`.',
});
