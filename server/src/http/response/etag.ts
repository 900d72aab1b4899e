import { hash } from 'node:crypto';

/** A strong validator: equal exactly when the bytes of the record are. */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}
