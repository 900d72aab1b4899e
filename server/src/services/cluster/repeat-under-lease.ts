import { type FindLease, type JobName, type LeasedStore, LeaseLost } from './leases.ts';

/** What one node at a time does for all. */
export interface Job {
  name: JobName;
  /** From one start to the next. */
  everyMs: number;
  run: (store: LeasedStore, signal: AbortSignal) => Promise<void>;
}

interface RepeatOptions {
  findLease: FindLease;
  onFailure: (err: unknown) => void;
}

/** How long a job waits at most until it looks whether this node has got its lease. */
const LOOK_MS = 1_000;

/**
 * Runs a job now and periodically, while this node has its lease. A node that has just taken the lease over runs it at once.
 * Returns the function that stops it; it resolves when the run under way has ended.
 */
export function repeatUnderLease(
  { name, everyMs, run }: Job,
  { findLease, onFailure }: RepeatOptions,
): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    if (running || performance.now() - startedAtMs < everyMs) return;
    const store = findLease(name);
    if (!store) return;
    startedAtMs = performance.now();
    running = run(store, stopping.signal)
      .catch((err: unknown) => {
        if (!(err instanceof LeaseLost)) onFailure(err);
      })
      .finally(() => {
        running = undefined;
      });
  };
  look();
  const timer = setInterval(look, Math.min(everyMs, LOOK_MS)).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
