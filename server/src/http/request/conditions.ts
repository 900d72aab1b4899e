// ETags and the two headers that name them, as RFC 9110 defines them.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../domain/errors.ts';
import { encodingFor, etagFor, etagOfRecord, isCompressible } from '../response/compression.ts';
import type { HttpResponse } from '../response/headers.ts';

/** A strong validator: equal exactly when the bytes of the record are. */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** The response to a read, or 304 where If-None-Match says that the client has it already. */
export function withConditions(
  { headers }: { headers: IncomingHttpHeaders },
  response: HttpResponse,
): HttpResponse {
  const condition = headers['if-none-match'];
  const { etag } = response.headers;
  if (condition === undefined || etag === undefined || !matchesWeakly(condition, etag)) {
    return response;
  }
  // A 304 has the ETag and the Vary of the response that it stands for.
  const bytes = Buffer.byteLength(response.body);
  const tag = etagFor(etag, encodingFor(headers['accept-encoding'], bytes));
  const conditional: Record<string, string> = { etag: tag };
  if (isCompressible(bytes)) conditional.vary = 'accept-encoding';
  return { status: 304, headers: conditional, body: '' };
}

/** Throws a Refusal if If-Match does not name the ETag of the record. No ETag is that of a record that is not there. */
export function checkIfMatch(ifMatch: string, record: unknown): void {
  if (record !== undefined && matchesStrongly(ifMatch, etagOf(JSON.stringify(record)))) return;
  const isCondition = ifMatch.trim() === '*' || tagsIn(ifMatch).length > 0;
  throw isCondition ? new Refusal('precondition_failed') : noEtag();
}

function noEtag(): Refusal {
  return new Refusal('precondition_failed', {
    message:
      'If-Match names no ETag. An ETag is in double quotes, as the ETag header has it: If-Match: "abc".',
  });
}

function matchesWeakly(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** A weak tag never matches strongly. */
function matchesStrongly(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).includes(etag);
}

/** The tags in the header. Those of compressed responses name the same record. */
function tagsIn(header: string): string[] {
  return (header.match(/(?:W\/)?"[^"]*"/g) ?? []).map(etagOfRecord);
}
