// The responses of the OpenAPI document: successes come from the operation, errors from the error table. Errors that
// several operations share are components.

import { type ErrorCode, errorTable } from '../domain/errors.ts';
import type { Operation } from '../operations/operation.ts';
import { type Components, type Json, referTo } from './components.ts';
import { errorExample } from './error-examples.ts';

const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'not_acceptable',
  'request_timeout',
  'expectation_failed',
  'rate_limit_exceeded',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'unavailable',
];
const KEYED: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'insufficient_scope',
  'quota_exceeded',
  'key_banned',
];
const WRITES: readonly ErrorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

export const headers: Json = {
  'X-RateLimit-Limit': integerHeader('The limit that applies to the caller.'),
  'X-RateLimit-Remaining': integerHeader('Requests remaining in the current window.'),
  'X-RateLimit-Reset': integerHeader('Unix timestamp at which the limit resets.'),
  'RateLimit-Policy': stringHeader(
    'The windows that apply: `"minute";q=60;w=60, "day";q=1000;w=86400`.',
  ),
  RateLimit: stringHeader(
    'What is left of each window: `"minute";r=59;t=58, "day";r=999;t=61234`.',
  ),
  'X-Request-Id': stringHeader('Identifies this request in the logs of the service.'),
  'X-API-Version': stringHeader('The version of the API.'),
  'Retry-After': integerHeader('How many seconds to wait before the next request.'),
  ETag: stringHeader('A strong validator of the record.'),
  Location: stringHeader('The path of the new record.'),
  Link: stringHeader(
    '`rel="next"` while there is more; `rel="successor-version"` when deprecated.',
  ),
  'Events-Cursor': stringHeader(
    'The position up to which the feed was read. Send it as `after` in the next request.',
  ),
  'Content-Disposition': stringHeader('The name under which to save the file.'),
  'WWW-Authenticate': stringHeader('How to authenticate.'),
  'Set-Cookie': stringHeader('The cookie of the session, or its removal.'),
  'Clear-Site-Data': stringHeader('What the browser removes of the console.'),
  'Idempotency-Replayed': stringHeader(
    '`true` when this is a stored response, also a stored error.',
  ),
  'Dry-Run': stringHeader(
    '`true` when the request was a dry run and nothing was kept. Errors have it too.',
  ),
  Deprecation: stringHeader(
    'Since when the operation is deprecated. Errors of the operation have it too.',
  ),
  Sunset: stringHeader('When the operation is switched off. Errors of the operation have it too.'),
  'X-Stability': stringHeader('`beta` or `experimental`. Errors of the operation have it too.'),
};

/** Errors that are stored under an Idempotency-Key and replayed. */
const STORED_ERRORS: readonly number[] = [404, 409, 412];
const EVERYWHERE: readonly string[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
  'X-API-Version',
];

/** The error codes of an operation: those that it declares, and those that follow from its form. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(ALWAYS);
  const add = (more: readonly ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (operation.scope !== 'none') add(KEYED);
  // A key that is sent nevertheless is checked and counted.
  else add(['invalid_api_key', 'expired_api_key', 'quota_exceeded', 'key_banned']);
  add(stateCodesOf(operation));
  if (operation.kind !== 'read') add(WRITES);
  if (operation.params || operation.isOffered) add(['not_found']);
  if (operation.isConditional) add(['precondition_failed']);
  if (operation.deprecation) add(['operation_sunset']);
  add(operation.errors ?? []);
  return [...codes];
}

/** What the state of the workspace refuses the operation with. */
function stateCodesOf({ kind, servedWhile = kind === 'read' ? ['closing'] : [] }: Operation) {
  const codes: ErrorCode[] = [];
  if (!servedWhile.includes('suspended')) codes.push('workspace_suspended');
  if (!servedWhile.includes('closing')) codes.push('workspace_closing');
  return codes;
}

const KEPT = 'The record that was there, as it is now.';

export function responsesOf(operation: Operation, components: Components): Json {
  const { success } = operation;
  const responses: Json = {};
  responses[success.status] = {
    description: success.description,
    headers: headerRefs([...EVERYWHERE, ...successHeaders(operation)]),
    ...contentOf(operation, components),
  };
  if (success.kind === 'put') {
    const created = responses[201] as Json;
    responses[200] = { ...created, description: KEPT };
    responses[201] = { ...created, ...orPreview(operation, components) };
  }
  if (operation.takesDryRun && success.kind === 'created') {
    responses[200] = previewResponse(success.schema as Json, operation, components);
  }
  if (operation.kind === 'read' && success.kind === 'record') {
    const names = [...EVERYWHERE, 'ETag', ...lifecycleHeaders(operation)];
    responses[304] = { description: 'The record has not changed.', headers: headerRefs(names) };
  }
  for (const [status, codes] of byStatus(errorCodesOf(operation))) {
    const optional = errorHeaders(operation, status);
    responses[status] = errorResponse(status, codes, optional, components);
  }
  return responses;
}

function contentOf({ success, example }: Operation, components: Components): Json {
  if (success.kind === 'download') {
    const text = { schema: { type: 'string', format: 'binary' } };
    return { content: Object.fromEntries(success.types.map((type) => [type, text])) };
  }
  if (!('schema' in success)) return {};
  const { schema, kind } = success;
  const shape =
    kind === 'list' || kind === 'feed'
      ? listSchema(schema, components)
      : referTo(schema, components);
  const shown = { schema: shape, ...(example === undefined ? {} : { example }) };
  // What a stream sends is text; the schema is that of the JSON in its `data:` lines.
  const type = kind === 'stream' ? 'text/event-stream' : 'application/json';
  return { content: { [type]: shown } };
}

function previewResponse(schema: Json, operation: Operation, components: Components): Json {
  const { preview, example } = operation;
  const shown = {
    schema: referTo(withoutId(schema), components),
    example: preview!(example as never),
  };
  return {
    description: 'With `dryRun=true`: the record as it would be, without `id`. Nothing is kept.',
    headers: headerRefs([...EVERYWHERE, 'Dry-Run', ...lifecycleHeaders(operation)]),
    content: { 'application/json': shown },
  };
}

/** The content of a new record. A dry run has it without `id`. */
function orPreview({ success, example }: Operation, components: Components): Json {
  const { schema } = success as unknown as { schema: Json };
  const anyOf = [schema, withoutId(schema)].map((shape) => referTo(shape, components));
  return { content: { 'application/json': { schema: { anyOf }, example } } };
}

function withoutId({ title, properties, required, ...rest }: Json): Json {
  const { id: _, ...others } = properties as Json;
  const names = (required as string[] | undefined)?.filter((name) => name !== 'id');
  const kept = { title: `${title}Preview`, properties: others };
  return { ...rest, ...kept, ...(names ? { required: names } : {}) };
}

/** The specification names the list of pets; other lists stay arrays. */
function listSchema(items: unknown, components: Components): Json {
  const array = { type: 'array', items: referTo(items, components) };
  if ((items as { title?: string }).title !== 'Pet') return array;
  components.schemas.Pets = array;
  return { $ref: '#/components/schemas/Pets' };
}

function successHeaders(operation: Operation): string[] {
  const { success, kind, session, takesDryRun } = operation;
  return [
    ...(['record', 'created', 'put'].includes(success.kind) ? ['ETag'] : []),
    ...(success.kind === 'put' || (success.kind === 'created' && success.location)
      ? ['Location']
      : []),
    ...(success.kind === 'list' || success.kind === 'feed' ? ['Link'] : []),
    ...(success.kind === 'feed' ? ['Events-Cursor'] : []),
    ...(success.kind === 'download' ? ['Content-Disposition'] : []),
    ...(session === 'opens' || session === 'ends' ? ['Set-Cookie'] : []),
    ...(session === 'ends' ? ['Clear-Site-Data'] : []),
    ...(kind !== 'read' ? ['Idempotency-Replayed'] : []),
    ...(takesDryRun && success.kind !== 'created' ? ['Dry-Run'] : []),
    ...lifecycleHeaders(operation),
  ];
}

/** What an error has of the operation. An error has none of it if the service has not come to the operation. */
function errorHeaders(operation: Operation, status: number): string[] {
  const { kind, takesDryRun } = operation;
  return [
    ...(kind !== 'read' && STORED_ERRORS.includes(status) ? ['Idempotency-Replayed'] : []),
    ...(takesDryRun ? ['Dry-Run'] : []),
    ...lifecycleHeaders(operation),
  ];
}

function lifecycleHeaders({ stability, deprecation }: Operation): string[] {
  return [
    ...(stability ? ['X-Stability'] : []),
    ...(deprecation ? ['Deprecation', 'Sunset', 'Link'] : []),
  ];
}

function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  return [...Map.groupBy(codes, (code) => errorTable[code].status)].sort(([a], [b]) => a - b);
}

function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  optional: readonly string[],
  { responses }: Components,
): Json {
  const extra: string[] =
    status === 429 || status === 503 ? ['Retry-After'] : status === 401 ? ['WWW-Authenticate'] : [];
  const name = [...codes, ...optional].join('.');
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    headers: headerRefs([...EVERYWHERE, ...extra, ...optional]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function integerHeader(description: string): Json {
  return { description, schema: { type: 'integer' } };
}

function stringHeader(description: string): Json {
  return { description, schema: { type: 'string' } };
}
