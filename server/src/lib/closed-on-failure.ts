import { setTimeout as pause } from 'node:timers/promises';

const CLOSE_MS = 2_000;

/**
 * Runs `open`, which adds to the stack how to close each thing that it opens. If `open` throws, they are closed in the
 * reverse order and the same error is thrown. Closing can neither hide that error nor delay it by more than `closeMs`.
 */
export async function closedOnFailure<T>(
  open: (opened: AsyncDisposableStack) => Promise<T>,
  { closeMs = CLOSE_MS } = {},
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(opened);
  } catch (err) {
    const closed = new AbortController();
    opened.disposeAsync().then(
      () => closed.abort(),
      () => closed.abort(),
    );
    await pause(closeMs, undefined, { signal: closed.signal }).catch(() => undefined);
    throw err;
  }
}
