import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import type { StepResult } from './step.ts';

/** Responses are JSON: refuses an Accept header that excludes it. Also refuses encoded bodies. */
export function negotiate(request: FastifyRequest): StepResult {
  const { accept } = request.headers;
  const encoding = request.headers['content-encoding'];
  if (accept !== undefined && accept !== '*/*' && !acceptsJson(accept)) {
    return new Refusal('not_acceptable');
  }
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new Refusal('unsupported_media_type');
  }
  return undefined;
}

/** RFC 9110: the most specific range that names JSON decides, by its weight. */
export function acceptsJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...params] = range.split(';').map((part) => part.trim());
    const weight = params.find((param) => param.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight));
  }
  for (const type of ['application/json', 'application/*', '*/*']) {
    const weight = weights.get(type);
    if (weight !== undefined) return weight > 0;
  }
  return accept.trim() === '';
}
