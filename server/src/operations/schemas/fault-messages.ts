import type { ErrorObject } from 'ajv';
import { shownText } from '../../domain/errors.ts';
import { INSTANT_FORM } from '../../lib/instant.ts';
import { hasControl } from '../../lib/text.ts';

const typeNames: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  object: 'a JSON object',
  string: 'a string',
};

/** What is wrong with a field, as the end of a sentence that starts with its name. */
export function messageOf({ keyword, params, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'type':
      if (params.type === 'integer' && Number.isNaN(data)) {
        return 'must be a whole number written without fraction or exponent';
      }
      return `must be ${typeNames[String(params.type).split(',')[0]!]}`;
    case 'x-keys':
      return 'is no key: use 1 to 40 letters, digits, "_", "." or "-"';
    case 'maxProperties':
      return `must have at most ${params.limit} pairs`;
    case 'enum':
      return `must be ${oneOf(params.allowedValues as unknown[])}`;
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} items`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'uniqueItems':
      return `must not repeat ${shownText(JSON.stringify((data as unknown[])[params.i as number]))}`;
    case 'not':
      return 'must not be 0';
    case 'pattern':
      return patternFault(String(data));
    case 'format':
      return params.format === 'date-time'
        ? `must be ${INSTANT_FORM}`
        : 'must be an integer of at most 2^53-1';
    default:
      return 'is not valid';
  }
}

/** The patterns of bodies refuse control characters, blank names, and whitespace in a URL. */
function patternFault(text: string): string {
  if (hasControl(text)) return 'must not contain control characters';
  return text.trim() === '' ? 'must not be blank' : 'must not contain whitespace';
}

/** Null is not named: it clears a field and is no value of it. */
function oneOf(values: readonly unknown[]): string {
  const named = values.filter((value) => value !== null);
  return named.length === 1 ? String(named[0]) : `one of ${named.join(', ')}`;
}
