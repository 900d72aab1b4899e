import { hash } from 'node:crypto';

/** A response before it is sent: headers in lower case, a body that is already text. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A strong validator: equal exactly when the bytes of the record are. */
export function etagOf(body: string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}
