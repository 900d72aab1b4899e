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

/**
 * What throws a Refusal if the record is not the one that If-Match names, or if it is one that If-None-Match names. No ETag,
 * and not `*`, is that of a record that is not there.
 */
export function conditionsOf(headers: IncomingHttpHeaders): (record: unknown) => void {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return (record) => {
    const etag = record === undefined ? undefined : etagOf(JSON.stringify(record));
    if (ifMatch !== undefined && !(etag && matchesStrongly(ifMatch, etag))) {
      checkSyntax('If-Match', ifMatch);
      throw new Refusal('precondition_failed');
    }
    if (ifNoneMatch === undefined) return;
    checkSyntax('If-None-Match', ifNoneMatch);
    if (etag && matchesWeakly(ifNoneMatch, etag)) {
      const message = 'The record is one that If-None-Match rules out.';
      throw new Refusal('precondition_failed', { message });
    }
  };
}

/** A client that forgets the quotes means a condition, so the change is not made without it. */
function checkSyntax(name: string, header: string): void {
  if (header.trim() === '*' || tagsIn(header).length > 0) return;
  throw new Refusal('precondition_failed', {
    message: `${name} names no ETag. An ETag is in double quotes, as the ETag header has it: ${name}: "abc".`,
  });
}

export function matchesWeakly(header: string, etag: string): boolean {
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
