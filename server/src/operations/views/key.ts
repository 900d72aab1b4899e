import type { KeyRecord } from '../../domain/key.ts';
import { formatInstant } from '../../lib/instant.ts';

export function keyView(key: KeyRecord) {
  const { id, name, hint, createdAt, expiresAt, lastUsedAt, revokedAt, parentId } = key;
  return {
    id,
    name,
    hint,
    scopes: [...key.scopes],
    createdAt: formatInstant(createdAt),
    expiresAt: formatInstant(expiresAt),
    lastUsedAt: formatInstant(lastUsedAt),
    revokedAt: formatInstant(revokedAt),
    parentId,
  };
}

/** For the operator. */
export function anyKeyView(key: KeyRecord) {
  return { ...keyView(key), workspaceId: key.workspaceId };
}

export function newKeyView({ record, key }: { record: KeyRecord; key: string }) {
  return { ...keyView(record), key };
}

/** The response as it is stored for replays. */
export function withoutSecret<T extends { key?: string }>({ key: _, ...rest }: T): Omit<T, 'key'> {
  return rest;
}
