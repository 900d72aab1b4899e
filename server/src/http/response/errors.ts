import { StorageUnavailable } from '../../datastore/failures.ts';
import { type ErrorCode, errorCodes, errorTable, Refusal } from '../../domain/errors.ts';

const RETRY_UNAVAILABLE_SECONDS = '1';

/** Whatever was thrown, as the refusal that the caller is told. Nothing of the inside is in it. */
export function refusalOf(err: unknown): Refusal {
  if (err instanceof Refusal) return err;
  if (err instanceof StorageUnavailable) return new Refusal('unavailable');
  return (
    fastifyRefusals[codeOf(err)] ??
    new Refusal(isClientFault(err) ? 'invalid_request' : 'internal_error')
  );
}

/** The one shape that errors have, as text. An id of a request holds nothing that JSON would escape. */
export function errorText({ code, message, details }: Refusal, requestId: string): string {
  const isUsual = message === errorTable[code].message;
  const start = isUsual ? usualStarts.get(code)! : startOf(code, message);
  return `${start}"requestId":"${requestId}"${details ? `,"details":${JSON.stringify(details)}}` : '}'}`;
}

function startOf(code: ErrorCode, message: string): string {
  return `${JSON.stringify({ code, message, status: errorTable[code].status }).slice(0, -1)},`;
}

const usualStarts = new Map(
  errorCodes.map((code) => [code, startOf(code, errorTable[code].message)]),
);

/** The headers that a status calls for, whatever the reason. */
export function errorHeaders(code: ErrorCode): Record<string, string> {
  const { status } = errorTable[code];
  if (status === 401) return { 'www-authenticate': 'Bearer realm="petstore"' };
  if (status === 503) return { 'retry-after': RETRY_UNAVAILABLE_SECONDS };
  return {};
}

function codeOf(err: unknown): string {
  return typeof err === 'object' && err !== null && 'code' in err ? String(err.code) : '';
}

/** Fastify marks what is the client's fault with a status of its own. */
function isClientFault(err: unknown): boolean {
  const status = err instanceof Error && 'statusCode' in err ? Number(err.statusCode) : 500;
  return status >= 400 && status < 500;
}

const fastifyRefusals: Record<string, Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Refusal('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_TYPE: new Refusal('unsupported_media_type'),
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refusal('invalid_request', {
    message: 'The body is not as long as Content-Length says.',
  }),
  FST_ERR_CTP_EMPTY_JSON_BODY: new Refusal('malformed_json', { message: 'The body is empty.' }),
  FST_ERR_BAD_URL: new Refusal('invalid_request', {
    message: 'The path is not valid percent-encoded UTF-8.',
  }),
  ECONNRESET: new Refusal('invalid_request', { message: 'The body did not arrive in full.' }),
};
