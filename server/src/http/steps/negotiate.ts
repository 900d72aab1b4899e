import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { StepResult } from './step.ts';

/** Refuses an Accept header that excludes JSON or, for a stream, its own type. Also refuses encoded bodies. */
export function negotiate(request: FastifyRequest): StepResult {
  const { accept } = request.headers;
  const encoding = request.headers['content-encoding'];
  const isStream = request.state.operation?.success.kind === 'stream';
  const types = isStream ? STREAM_TYPES : JSON_TYPES;
  if (accept !== undefined && accept !== '*/*' && !accepts(accept, types)) {
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

/**
 * `ranges` are the media ranges that match the type, most specific first. The first one in the Accept header decides; a
 * weight of 0 excludes the type (RFC 9110).
 */
function accepts(accept: string, ranges: readonly string[]): boolean {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...params] = range.split(';').map((part) => part.trim());
    const weight = params.find((param) => param.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight));
  }
  for (const range of ranges) {
    const weight = weights.get(range);
    if (weight !== undefined) return weight > 0;
  }
  return accept.trim() === '';
}
