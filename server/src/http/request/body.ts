import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/errors.ts';
import { ForbiddenJson, MalformedJson, parseStrictJson } from '../../lib/strict-json.ts';
import { invalidBody } from '../../operations/schemas/validator.ts';

/** A parsed body and its bytes, which an Idempotency-Key is bound to. */
export interface ParsedBody {
  bytes: Buffer;
  value: unknown;
}

/** Parses JSON bodies and refuses all others. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parse);
  app.addContentTypeParser<Buffer>(
    'application/merge-patch+json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.method !== 'PATCH') throw new Refusal('unsupported_media_type');
      return parse(request, bytes);
    },
  );
}

async function parse(request: FastifyRequest, bytes: Buffer): Promise<ParsedBody> {
  refuseOtherCharsets(request.headers['content-type'] ?? '');
  return { bytes, value: bytes.length === 0 ? undefined : parseBody(bytes) };
}

function refuseOtherCharsets(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new Refusal('unsupported_media_type');
  }
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
