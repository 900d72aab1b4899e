import fc from 'fast-check';
import type { Contract, Operation, Parameter } from './document.ts';
import { type Case, RawBody, Slot } from './request.ts';
import { Values } from './values.ts';

// No made-up text is a valid cursor, and a request that waits is no use here. Other tests follow lists and the feed.
const NOT_MADE_UP = new Set(['cursor', 'after', 'wait', 'If-Match', 'If-None-Match']);

/** Requests that the document allows in any state of the store. */
export function validRequests(contract: Contract, operation: Operation): fc.Arbitrary<Case> {
  const values = new Values(contract, operation);
  const ofPlace = (place: Parameter['in']) =>
    operation.parameters.filter((one) => one.in === place && !NOT_MADE_UP.has(one.name));
  const path = fc.record(
    Object.fromEntries(ofPlace('path').map(({ name, schema }) => [name, values.of(schema, name)])),
  );
  const query = fc
    .tuple(...ofPlace('query').map((parameter) => queryPairs(values, parameter)))
    .map((pairs) => pairs.flat());
  const headers = fc.record(
    Object.fromEntries(ofPlace('header').map(({ name, schema }) => [name, values.of(schema)])),
    { requiredKeys: [] },
  );
  return fc
    .record({
      path,
      query,
      headers: fc.option(headers, { freq: 4, nil: {} }),
      body: body(values, operation),
    })
    .map((parts) => ({
      kind: 'valid',
      operation,
      method: operation.method,
      why: 'valid',
      pathValues: parts.path as Record<string, Slot>,
      query: parts.query,
      headers: parts.headers as Record<string, string>,
      body: parts.body,
      credentials: 'own',
    }));
}

function body(values: Values, { body }: Operation): fc.Arbitrary<unknown> {
  if (!body) return fc.constant(undefined);
  const given = values.of(body.schema);
  if (!body.isRequired) return fc.option(given, { nil: undefined });
  // An escape is a second way to write the same character.
  return fc.oneof({ weight: 9, arbitrary: given }, { weight: 1, arbitrary: given.map(spaced) });
}

/** The same value with blanks where JSON allows them. It has no ids, because they could not be filled in. */
function spaced(value: unknown): unknown {
  const text = JSON.stringify(value, null, '\t \r\n');
  return JSON.stringify(value, (_, part) => (part instanceof Slot ? null : part)) ===
    JSON.stringify(value)
    ? new RawBody(text)
    : value;
}

function queryPairs(
  values: Values,
  { name, schema }: Parameter,
): fc.Arbitrary<(readonly [string, Slot | string])[]> {
  const isList = schema.type === 'array';
  const one = values.of(isList ? schema.items! : schema, name);
  const list = isList
    ? fc.array(one, { minLength: 1, maxLength: Math.min(schema.maxItems ?? 5, 5) })
    : one.map((value) => [value]);
  return fc
    .option(list, { freq: 2, nil: [] })
    .map((given) => given.map((value) => [name, written(value)]));
}

export function written(value: unknown): Slot | string {
  return value instanceof Slot ? value : encodeURIComponent(String(value));
}
