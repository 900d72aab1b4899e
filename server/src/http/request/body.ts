import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../../lib/strict-json.ts';
import { invalidBody } from '../../operations/schemas/validator.ts';

/** A parsed body and its bytes, which an Idempotency-Key is bound to. */
export interface ParsedBody {
  bytes: Buffer;
  value: unknown;
}

/** Of a Content-Type that is refused, the message has no more. */
const SHOWN_TYPE_MAX = 100;

/** Parses JSON bodies and refuses all others. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser<Buffer>(
    'application/merge-patch+json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.method !== 'PATCH') throw unsupportedMediaType(request);
      return parse(request, bytes);
    },
  );
}

async function parse(request: FastifyRequest, bytes: Buffer): Promise<ParsedBody> {
  refuseOtherCharsets(request);
  return { bytes, value: bytes.length === 0 ? undefined : parseBody(bytes) };
}

function refuseOtherCharsets(request: FastifyRequest): void {
  const contentType = request.headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw unsupportedMediaType(request);
  }
}

/** Names the type that was received, cut and without characters that no media type has, and those that are accepted. */
export function unsupportedMediaType({ method, headers }: FastifyRequest): Refusal {
  const received = headers['content-type']
    ?.slice(0, SHOWN_TYPE_MAX)
    .replace(/[^\w!#$&^.+/;=," -]+/g, '?');
  const accepted =
    method === 'PATCH' ? 'application/json or application/merge-patch+json' : 'application/json';
  const found = received ? `it is ${received}` : 'there is none';
  return new Refusal('unsupported_media_type', {
    message: `Content-Type must be ${accepted}, in UTF-8, and ${found}.`,
  });
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (err) {
    if (err instanceof MalformedJson) throw new Refusal('malformed_json', { message: err.message });
    if (err instanceof ForbiddenJson) {
      throw invalidBody([{ field: err.field || 'body', message: err.message }]);
    }
    throw err;
  }
}
