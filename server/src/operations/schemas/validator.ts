import { Ajv, type ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';
import { type FieldFault, Refusal } from '../../domain/errors.ts';
import { parseInstant } from '../../lib/instant.ts';
import { once } from '../../lib/once.ts';

const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, ownProperties: true });
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('date-time', (text) => parseInstant(text) !== undefined);
ajv.addKeyword({ keyword: 'example' });
// Marks a text that is trimmed before it is validated.
ajv.addKeyword({ keyword: 'x-trimmed' });

// A text with control characters is not trimmed: trimming would remove line breaks, which must be refused.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns a function that validates a parsed body and returns it, trimmed and without an id. */
export function bodyChecker(schema: TSchema, isOptional: boolean): (body: unknown) => unknown {
  const compiled = once(() => ajv.compile(schema));
  const properties = (schema as { properties?: Record<string, object> }).properties ?? {};
  const trimmed = Object.keys(properties).filter((name) => 'x-trimmed' in properties[name]!);
  return (body) => {
    if (body === undefined) {
      if (isOptional) return {};
      throw invalidBody([{ field: 'body', message: 'is required: send a JSON object' }]);
    }
    const input =
      typeof body === 'object' && body !== null && !Array.isArray(body)
        ? prepare(body as Record<string, unknown>, trimmed)
        : body;
    const isValid = compiled();
    if (!isValid(input)) throw invalidBody((isValid.errors ?? []).map(faultOf));
    return input;
  };
}

/** The service assigns ids, so an id in a body is ignored. */
function prepare(body: Record<string, unknown>, trimmed: string[]): Record<string, unknown> {
  const { id: _, ...input } = body;
  for (const name of trimmed) {
    const text = input[name];
    if (typeof text === 'string' && !CONTROL.test(text)) input[name] = text.trim();
  }
  return input;
}

export function invalidBody(faults: FieldFault[]): Refusal {
  const details = [
    ...new Map(faults.map((fault) => [fault.field + fault.message, fault])).values(),
  ];
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const message = first ? `${first.field} ${first.message}${more}.` : 'The body is not valid.';
  return new Refusal('invalid_request', { message, details });
}

function faultOf(err: ErrorObject): FieldFault {
  const at = err.instancePath.slice(1).replaceAll('/', '.');
  const inside = (name: string) => (at ? `${at}.${name}` : name);
  const params = err.params as Record<string, string>;
  switch (err.keyword) {
    case 'required':
      return { field: inside(params.missingProperty ?? ''), message: 'is required' };
    case 'additionalProperties':
      return {
        field: inside(params.additionalProperty ?? ''),
        message: 'is not a field of this request',
      };
    case 'enum':
      return {
        field: at || 'body',
        message: `must be one of ${[params.allowedValues].flat().join(', ')}`,
      };
    case 'not':
      return { field: at, message: 'must not be 0' };
    case 'pattern':
      return { field: at, message: 'must hold a visible character and no control characters' };
    case 'format':
      return {
        field: at,
        message:
          params.format === 'date-time'
            ? 'must be an RFC 3339 date-time with offset, like 2026-01-31T09:00:00Z'
            : 'must be an integer of at most 2^53-1',
      };
    default:
      return { field: at || 'body', message: err.message ?? 'is not valid' };
  }
}
