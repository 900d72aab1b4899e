import { Call, type WithResponse } from './call.ts';
import { errorOf } from './errors.ts';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page starts; undefined on the last page. */
  nextCursor: string | undefined;
  /** The next page; undefined after the last one. */
  next(): Promise<Page<T> | undefined>;
}

/** Sends the request for one page, given its query string. */
type SendPage<T> = (search: string) => Promise<WithResponse<T[]>>;

/** A list. Await it for the first page, or iterate over all records. */
export class ListCall<T> extends Call<Page<T>> implements AsyncIterable<T> {
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page: Page<T> | undefined = await this; page; page = await page.next()) yield page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** All records, up to `limit`: a list may have no end that fits into memory. */
  async toArray({ limit }: { limit: number } = {} as never): Promise<T[]> {
    if (!(limit >= 0)) throw new TypeError('toArray needs a limit: toArray({ limit: 1000 }).');
    const items: T[] = [];
    for await (const item of this) {
      if (items.push(item) >= limit) break;
    }
    return items.slice(0, limit);
  }
}

/** Sends the request for a page, and for those after it. */
export async function sendPage<T>(
  send: SendPage<T>,
  search: string,
): Promise<WithResponse<Page<T>>> {
  const sent = await send(search);
  // A 304 has no page.
  if (!sent.data) return sent as never;
  if (!Array.isArray(sent.data)) throw errorOf(sent.response, JSON.stringify(sent.data));
  const nextSearch = nextSearchOf(sent.response.headers);
  // The feed of events always links to a next page; one that leads nowhere new is the last.
  const isLast = nextSearch === undefined || nextSearch === search;
  const query = new URLSearchParams(nextSearch);
  const page: Page<T> = {
    items: sent.data,
    nextCursor: isLast ? undefined : (query.get('cursor') ?? query.get('after') ?? undefined),
    next: async () => (isLast ? undefined : (await sendPage(send, nextSearch)).data),
  };
  return { ...sent, data: page };
}

/** Only the query of the link is taken, so a response cannot send the key to another host. */
function nextSearchOf(headers: Headers): string | undefined {
  const link = headers.get('link')?.match(/<([^>]*)>\s*;[^,]*\brel="?next"?/)?.[1];
  return link?.match(/\?.*/)?.[0];
}
