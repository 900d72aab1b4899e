import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { weightsOf } from '../request/weights.ts';
import type { StepResult } from './step.ts';

/** Refuses an Accept header that excludes JSON or, for a stream or a file, its own types. Also refuses encoded bodies. */
export function negotiate(request: FastifyRequest): StepResult {
  const { accept } = request.headers;
  const encoding = request.headers['content-encoding'];
  if (accept !== undefined && accept !== '*/*' && !acceptsAny(accept, request.state.operation)) {
    return new Refusal('not_acceptable');
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  if (hasBody && encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new Refusal('unsupported_media_type');
  }
  return undefined;
}

const JSON_TYPES = ['application/json', 'application/*', '*/*'];
const STREAM_TYPES = ['text/event-stream', 'text/*', '*/*'];

function acceptsAny(accept: string, operation: Operation | undefined): boolean {
  const success = operation?.success;
  if (success?.kind !== 'download') {
    return accepts(accept, success?.kind === 'stream' ? STREAM_TYPES : JSON_TYPES);
  }
  const rangesOf = (type: string) => [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  return success.types.some((type) => accepts(accept, rangesOf(type)));
}

/**
 * `ranges` are the media ranges that match the type, most specific first. The first one in the Accept header decides; a
 * weight of 0 excludes the type (RFC 9110).
 */
function accepts(accept: string, ranges: readonly string[]): boolean {
  const weights = weightsOf(accept);
  for (const range of ranges) {
    const weight = weights.get(range);
    if (weight !== undefined) return weight > 0;
  }
  return accept.trim() === '';
}
