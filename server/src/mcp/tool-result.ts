import type { Operation } from '../operations/operation.ts';
import type { Reply } from './json-rpc.ts';
import { isArrayResponse } from './output-schema.ts';

/** The result of a call as text: one text content, which is the JSON of the response. */
export function toolResult(
  { success }: Operation,
  { status, headers, body }: Reply,
  isStructured: boolean,
): string {
  if (status >= 400) return `{"content":${contentOf(body)},"isError":true}`;
  const value = isArrayResponse(success) ? pageOf(body, headers) : body || '{}';
  return isStructured
    ? `{"content":${contentOf(value)},"structuredContent":${value}}`
    : `{"content":${contentOf(value)}}`;
}

function contentOf(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}

function pageOf(items: string, headers: Readonly<Record<string, string>>): string {
  const next = headers['events-cursor'] ?? cursorIn(headers.link);
  return `{"items":${items}${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}}`;
}

/** The cursor in the URL of a Link header. */
function cursorIn(link: string | undefined): string | undefined {
  const url = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1];
  return url && (new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
