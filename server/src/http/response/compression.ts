// Compression of responses for clients that accept it. It runs in the request's own tick, so its settings are the cheap
// ones, and a response of the read cache is compressed once.

import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { weightsOf } from '../request/weights.ts';
import type { HttpResponse } from './headers.ts';

type Encoding = 'br' | 'gzip';

/** Below this, a response fits into one packet anyway. */
const BYTES_MIN = 1_024;
/** Above this, compression would keep other requests waiting. */
const BYTES_MAX = 1_048_576;
/** Of two encodings that a client accepts alike, the first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

export function isCompressible(bytes: number): boolean {
  return bytes > BYTES_MIN && bytes <= BYTES_MAX;
}

/** The encoding of a body of this size, given the Accept-Encoding of the request. */
export function encodingFor(accepted: string | undefined, bytes: number): Encoding | undefined {
  if (accepted === undefined || !isCompressible(bytes)) return undefined;
  const weights = weightsOf(accepted);
  let best: Encoding | undefined;
  let bestWeight = 0;
  for (const encoding of ENCODINGS) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  // A client may prefer the body as it is.
  return bestWeight >= (weights.get('identity') ?? 0) ? best : undefined;
}

const compressed = new WeakMap<HttpResponse, Partial<Record<Encoding, Buffer>>>();

export function compress(response: HttpResponse, encoding: Encoding): Buffer {
  const known = compressed.get(response) ?? {};
  compressed.set(response, known);
  known[encoding] ??=
    encoding === 'br' ? brotli(response.body) : gzipSync(response.body, { level: 1 });
  return known[encoding];
}

function brotli(text: string): Buffer {
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 1,
      // A window of 256 KiB: the default one costs more memory than it saves bytes.
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  });
}

/** A strong ETag names bytes, so each encoding has its own: `"abc"` compressed with gzip is `"abc-gzip"`. */
export function etagFor(etag: string, encoding: Encoding | undefined): string {
  return encoding ? etag.replace(/"$/, `-${encoding}"`) : etag;
}

/** The ETag of the record that an ETag of any encoding names. The hash before the encoding has 27 characters. */
export function etagOfRecord(etag: string): string {
  return etag.replace(/^((?:W\/)?"[\w-]{27})-(?:br|gzip)"$/, '$1"');
}
