import { API_VERSION } from '../../contract/version.ts';

/** Names and values alternating, as `writeHead` of node:http takes them. */
export type FlatHeaders = string[];

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On every response. A page that needs a script or a style replaces the policy by one that allows just that. */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const SECURITY_HEADERS: FlatHeaders = Object.entries(securityHeaders).flat();

export function firstHeaders(requestId: string): FlatHeaders {
  return [...SECURITY_HEADERS, 'x-request-id', requestId];
}

export function addVersion(headers: FlatHeaders): void {
  if (!headers.includes('x-api-version')) headers.push('x-api-version', API_VERSION);
}

export function headerRecord(headers: FlatHeaders): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) record[headers[at]!] = headers[at + 1]!;
  return record;
}

/** A response before it is sent: headers in lower case, a body that is already text. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}
