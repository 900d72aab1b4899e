import { useEffect } from 'preact/hooks';
import { lastEvent } from '../../api/live.ts';
import { invalidate, type QueryResult, queries, useQuery } from '../../api/query.ts';
import { type EventType, type Feed, pageLength, readNewest, readRange } from './feed.ts';

/** Reads of the feed have a limit of their own of 60 a minute, which the stream shares. */
const PAUSE_MS = 2_500;

/** A page of the feed. Without `after` it is the newest one, which grows as events happen. */
export function useFeed(type: EventType | undefined, after: number | undefined): QueryResult<Feed> {
  const key = ['listEvents', { type, after }] as const;
  const feed = useQuery<Feed>({
    key,
    read: (signal) =>
      after === undefined
        ? readNewest(queries.get<Feed>(key), { type, signal })
        : readRange({ type, signal, from: after, to: after + pageLength(type) }),
    keepsPrevious: true,
  });
  useEffect(() => (after === undefined ? followEvents() : undefined), [after]);
  return feed;
}

/** Reads again when the stream brings an event: at once, and then at most every few seconds. */
function followEvents(): () => void {
  const known = lastEvent.peek();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readAt = 0;
  const stop = lastEvent.subscribe((event) => {
    if (event === known || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        readAt = Date.now();
        invalidate('listEvents');
      },
      Math.max(0, readAt + PAUSE_MS - Date.now()),
    );
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
