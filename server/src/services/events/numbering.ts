import type { FindLease } from '../leases.ts';
import { repeatUnderLease } from '../repeat-under-lease.ts';
import { numberAll } from './read-feed.ts';

const EVERY_MS = 600_000;

/** Numbers what has arrived in feeds that nobody reads, while this node has the lease. Returns the function that stops it. */
export function numberPeriodically(options: {
  findLease: FindLease;
  onFailure: (err: unknown) => void;
}): () => Promise<void> {
  return repeatUnderLease({ job: 'numbering', everyMs: EVERY_MS, run: numberAll, ...options });
}
