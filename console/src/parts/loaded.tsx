import type { ComponentChildren } from 'preact';
import { errorText, PermissionError, requestIdOf } from '../api/errors.ts';
import { pause, pauseOf } from '../api/limits.ts';
import { isWaiting, type QueryResult } from '../api/query.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { time } from '../ui/format.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { controlWords as words } from '../words/controls.ts';
import { RequestLink } from './request-link.tsx';

interface LoadedProps<T> {
  query: Pick<QueryResult<T>, 'error' | 'refetch'> &
    Partial<Pick<QueryResult<T>, 'data' | 'dataUpdatedAt'>>;
  /** How many lines the skeleton has, so that nothing jumps when the rows arrive. */
  rows?: number;
  /** Whether the rows wait for something else that they show, such as names. */
  isHeld?: boolean;
  children?: (data: T) => ComponentChildren;
}

/** What a part of a screen shows while it loads, waits, fails, and when it is there. */
export function Loaded<T>({ query, rows, isHeld, children }: LoadedProps<T>) {
  const { data, error, dataUpdatedAt = 0 } = query;
  if (data !== undefined && !isHeld) {
    return (
      <>
        {error !== null && isWaiting(error) && (
          <p class="as-of">{words.asOf(time(dataUpdatedAt))}</p>
        )}
        {error !== null && !isWaiting(error) && <Failed error={error} onRetry={query.refetch} />}
        {children?.(data)}
      </>
    );
  }
  if (error === null) return <Skeleton rows={rows} />;
  if (isWaiting(error)) {
    const kind = pauseOf(error) ?? pause.value?.kind ?? 'minute';
    return (
      <Empty icon="hourglass" title={words.waitingTitles[kind]}>
        <p class="muted">{words.waiting[kind]}</p>
      </Empty>
    );
  }
  return <Failed error={error} onRetry={query.refetch} />;
}

/** An error of one part: what happened, the request id, and a way to try again. The rest of the screen works. */
function Failed({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  const requestId = requestIdOf(error);
  const isNotAllowed = error instanceof PermissionError;
  return (
    <Empty icon="triangle-alert" title={isNotAllowed ? words.notAllowedTitle : words.failedTitle}>
      <p class="muted" role="alert">
        {errorText(error)}
      </p>
      {requestId !== undefined && (
        <p>
          <RequestLink id={requestId} />
        </p>
      )}
      {!isNotAllowed && (
        <Button icon="refresh-cw" onClick={() => onRetry()}>
          {words.retry}
        </Button>
      )}
    </Empty>
  );
}
