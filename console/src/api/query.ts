// Server state: one cache, keyed by the operation and its arguments.

import { RateLimitError, type ReadOperation } from '@petstore/client';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { NotSent, onPauseEnd, pauseOf, requestUnlessPaused } from './limits.ts';
import {
  type CachedQuery,
  QueryCache,
  type QueryKey,
  type Read,
  type Watcher,
} from './query-cache.ts';

export const queries = new QueryCache();

export interface Query<T> {
  key: QueryKey;
  read: Read<T>;
  isEnabled?: boolean;
  /** Whether it costs nothing of the plan: it is read also while the plan's minute is used up. */
  isFree?: boolean;
  /** Keeps the rows of the page before until the next one is there, or its read has failed. */
  keepsPrevious?: boolean;
}

export interface QueryResult<T> {
  data: T | undefined;
  /** Of the last read, `null` if it succeeded. */
  error: unknown;
  dataUpdatedAt: number;
  /** Whether something changed since, and it was not read again. */
  isInvalid: boolean;
  isFetching: boolean;
  /** Whether there is no answer yet: the data, if there is any, is that of the question before. */
  isPrevious: boolean;
  refetch: () => void;
}

export function useQuery<T>(query: Query<T>): QueryResult<T> {
  const { key, read, isEnabled = true, isFree, keepsPrevious } = query;
  const cached = queries.query<T>(key);
  // Async, so that a part that is drawn in the same task hears of the error, too.
  cached.read = async (signal) => {
    return requestUnlessPaused(() => read(signal), isFree);
  };
  const [, render] = useReducer((version: number) => version + 1, 0);
  const watcher = useMemo<Watcher>(() => ({ isEnabled, onChange: () => {} }), []);
  const shown = stateOf(cached, isEnabled);
  watcher.isEnabled = isEnabled;
  watcher.onChange = () => {
    if (!isSame(stateOf(cached, isEnabled), shown)) render(undefined);
  };
  // In the task of the rendering: an answer that came between would never be shown, and a read does not wait for the
  // next frame.
  useLayoutEffect(() => cached.watch(watcher), [cached, watcher]);
  useLayoutEffect(() => {
    if (isEnabled) cached.fetchIfOld();
  }, [cached, isEnabled]);
  const previous = useRef<T | undefined>(undefined);
  const isPrevious = !!keepsPrevious && isPending(cached);
  if (!isPrevious) previous.current = cached.data;
  return { ...shown, data: previous.current, isPrevious, refetch: () => void cached.fetch() };
}

type State<T> = Omit<QueryResult<T>, 'isPrevious' | 'refetch'>;

function stateOf<T>(cached: CachedQuery<T>, isEnabled: boolean): State<T> {
  const { data, error, dataUpdatedAt, isInvalid } = cached;
  const isFirst = isEnabled && data === undefined && error === null;
  return { data, error, dataUpdatedAt, isInvalid, isFetching: cached.isFetching || isFirst };
}

function isSame<T>(a: State<T>, b: State<T>): boolean {
  return (Object.keys(a) as (keyof State<T>)[]).every((name) => a[name] === b[name]);
}

/** Whether there is nothing to show of it yet, not even an error. */
export function isPending({ data, error }: Pick<QueryResult<unknown>, 'data' | 'error'>): boolean {
  return data === undefined && error === null;
}

/**
 * What is known already and still true, without asking for it. It takes the whole query: the last function given reads
 * again.
 */
export function useKnown<T>(query: Query<T>): T | undefined {
  const { data, isInvalid } = useQuery({ ...query, isEnabled: false });
  return isInvalid ? undefined : data;
}

/** Reads again what shows on the screen, and marks the rest as old. */
export function invalidate(operation: ReadOperation): void {
  for (const query of queries.of(operation)) query.invalidate(true);
}

/** Whether the error only says that nothing could be sent now. What is known stays on the screen. */
export function isWaiting(err: unknown): boolean {
  return err instanceof NotSent || err instanceof RateLimitError || pauseOf(err) !== undefined;
}

onPauseEnd(() => queries.refetch(({ error }) => error !== null));

// A page that was away for a minute reads again when it is looked at.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) for (const query of queries.of()) if (query.isActive) query.fetchIfOld();
});
