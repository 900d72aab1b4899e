// Metadata: pairs of texts that a client keeps at a record. The service stores them and reads nothing in them.

import { invalidField } from './errors.ts';

export const METADATA_PAIRS_MAX = 20;
export const METADATA_KEY = /^[A-Za-z0-9_.-]{1,40}$/;
export const METADATA_VALUE_MAX = 200;

/** Never empty: a record without pairs has no metadata. */
export type Metadata = Readonly<Record<string, string>>;
/** A pair with null is removed; null itself removes all. */
export type MetadataPatch = Readonly<Record<string, string | null>> | null;

/**
 * The metadata after a merge patch; undefined if no pair is left. Pairs are copied as entries: an assignment would not store
 * the key `__proto__`.
 */
export function mergeMetadata(
  before: Metadata | undefined,
  patch: MetadataPatch | undefined,
): Metadata | undefined {
  if (patch === undefined) return before;
  if (patch === null) return undefined;
  const pairs = new Map(Object.entries(before ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) pairs.delete(key);
    else pairs.set(key, value);
  }
  if (pairs.size > METADATA_PAIRS_MAX) {
    throw invalidField('metadata', `must have at most ${METADATA_PAIRS_MAX} pairs`);
  }
  return pairs.size === 0 ? undefined : Object.fromEntries(pairs);
}
