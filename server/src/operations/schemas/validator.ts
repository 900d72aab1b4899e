import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { type FieldFault, Refusal, shownText } from '../../domain/errors.ts';
import { parseInstant } from '../../lib/instant.ts';
import { once } from '../../lib/once.ts';
import { hasControl } from '../../lib/text.ts';
import { messageOf } from './fault-messages.ts';

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  ownProperties: true,
  // The messages are about the value at fault.
  verbose: true,
  // `npm run check` lints the same schemas in the contract. Compiling the schema of schemas would take longer than the
  // first request with a body.
  meta: false,
  validateSchema: false,
});
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('date-time', (text) => parseInstant(text) !== undefined);
ajv.addKeyword({ keyword: 'example' });
// A text that is trimmed before it is validated; the value is its pattern before trimming, for the contract.
ajv.addKeyword({ keyword: 'x-trimmed' });

// The pattern of the keys of an object whose fields are named by clients. OpenAPI 3.0 has no keyword for it.
ajv.addKeyword({ keyword: 'x-keys', type: 'object', compile: keyChecker, errors: true });

/** More faults than these are only in the details. */
const FAULTS_IN_MESSAGE = 3;
/** No record has as many fields. Faults beyond are left out, so that a hostile body gets no answer larger than itself. */
const FAULTS_MAX = 50;

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

/** For an operation that takes no body. Some clients send an empty object. */
export const checkNoBody = bodyChecker(
  { type: 'object', additionalProperties: false } as TSchema,
  true,
);

function keyChecker(pattern: string): SchemaValidateFunction {
  const form = new RegExp(pattern);
  const check: SchemaValidateFunction = (data: object) => {
    const wrong = Object.keys(data).filter((key) => !form.test(key));
    check.errors = wrong.map((additionalProperty) => {
      return { keyword: 'x-keys', params: { additionalProperty } };
    });
    return wrong.length === 0;
  };
  return check;
}

/** The service assigns ids, so an id in a body is ignored. */
function prepare(body: Record<string, unknown>, trimmed: string[]): Record<string, unknown> {
  const { id: _, ...input } = body;
  for (const name of trimmed) {
    const text = input[name];
    // Trimming would remove line breaks, which must be refused.
    if (typeof text === 'string' && !hasControl(text)) input[name] = text.trim();
  }
  return input;
}

/** A 400 with one fault per field. */
export function invalidBody(faults: readonly FieldFault[]): Refusal {
  const byField = new Map<string, FieldFault>();
  for (const { field: name, message } of faults) {
    if (byField.size === FAULTS_MAX) break;
    const field = shownText(name);
    if (!byField.has(field)) byField.set(field, { field, message });
  }
  const details = [...byField.values()];
  const sentences = details
    .slice(0, FAULTS_IN_MESSAGE)
    .map(({ field, message }) => `${field} ${message}.`);
  const more = details.length - sentences.length;
  if (more > 0) sentences.push(`The details have ${more} more.`);
  return new Refusal('invalid_request', { message: sentences.join(' '), details });
}

function faultOf(err: ErrorObject): FieldFault {
  const path = err.instancePath.slice(1).replaceAll('/', '.');
  const { missingProperty, additionalProperty } = err.params as Record<string, string>;
  const name = missingProperty ?? additionalProperty;
  const field = name === undefined ? path : [path, name || '""'].filter(Boolean).join('.');
  return { field: field || 'body', message: messageOf(err) };
}
