import type { FastifyRequest } from 'fastify';
import { docUrlOf } from '../../contract/links.ts';
import { OutcomeUnknown, StorageBusy, StorageUnavailable } from '../../datastore/failures.ts';
import { Refusal } from '../../domain/errors.ts';
import { unsupportedMediaType } from '../request/body.ts';
import { type HttpResponse, JSON_TYPE } from './headers.ts';

const RETRY_UNAVAILABLE_SECONDS = '1';
const OUTCOME_UNKNOWN = new Refusal('unavailable', {
  message: 'Storage did not say in time whether the change was made.',
  details: { outcome: 'unknown' },
});

/** The refusal that the caller gets for whatever was thrown. It shows nothing of the inside. */
export function toRefusal(err: unknown, request: FastifyRequest): Refusal {
  if (err instanceof Refusal) return err;
  if (err instanceof OutcomeUnknown) return OUTCOME_UNKNOWN;
  if (err instanceof StorageBusy) return new Refusal('overloaded');
  if (err instanceof StorageUnavailable) return new Refusal('unavailable');
  const code = codeOf(err);
  if (MEDIA_TYPE_CODES.includes(code)) return unsupportedMediaType(request);
  return (
    fastifyRefusals[code] ?? new Refusal(isClientFault(err) ? 'invalid_request' : 'internal_error')
  );
}

/** The one shape of all errors. */
export function errorResponse(refusal: Refusal, requestId: string): HttpResponse {
  const { code, message, status, details, retryAfterSeconds } = refusal;
  const headers: Record<string, string> = { 'content-type': JSON_TYPE };
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="petstore"';
  if (status === 503) headers['retry-after'] = RETRY_UNAVAILABLE_SECONDS;
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  const docUrl = docUrlOf(code);
  const body = JSON.stringify({ code, message, status, requestId, docUrl, details });
  return { status, headers, body };
}

function codeOf(err: unknown): string {
  return typeof err === 'object' && err !== null && 'code' in err ? String(err.code) : '';
}

/** Fastify gives errors that the client caused a status of 4xx. */
function isClientFault(err: unknown): boolean {
  const status = err instanceof Error && 'statusCode' in err ? Number(err.statusCode) : 500;
  return status >= 400 && status < 500;
}

const MEDIA_TYPE_CODES = ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'FST_ERR_CTP_INVALID_CONTENT_TYPE'];
const fastifyRefusals: Record<string, Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal('payload_too_large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refusal('invalid_request', {
    message: 'The body is not as long as Content-Length says.',
  }),
  FST_ERR_BAD_URL: new Refusal('invalid_request', {
    message: 'The path is not valid percent-encoded UTF-8.',
  }),
  ECONNRESET: new Refusal('invalid_request', { message: 'The body did not arrive in full.' }),
};
