/** Milliseconds since the Unix epoch. Everything that depends on time is passed a clock. */
export interface Clock {
  now(): number;
}

interface Sources {
  /** Milliseconds since the epoch. May be set forward and back. */
  wall: () => number;
  /** Milliseconds since any instant. Never runs backwards; may stop while the machine sleeps. */
  monotonic: () => number;
}

/**
 * Follows the wall clock forward at once and never runs backwards. When the wall clock is set back, this
 * clock goes on at its pace, ahead of it, until the wall clock has caught up or the process restarts.
 */
export function forwardClock({ wall, monotonic }: Sources): Clock {
  let offset = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  return {
    now: () => {
      const elapsed = monotonic();
      const reading = wall();
      offset = Math.max(offset, reading - elapsed);
      // The sum may be a fraction short of the reading it came from.
      last = Math.max(last, reading, Math.floor(offset + elapsed));
      return last;
    },
  };
}

/**
 * Follows a clock, but never faster than time passes: it ignores that the clock is set ahead while the process runs. For what
 * must not happen early.
 */
export function patientClock(clock: Clock, monotonic = () => performance.now()): Clock {
  const offset = clock.now() - monotonic();
  return { now: () => Math.min(clock.now(), Math.floor(offset + monotonic())) };
}

export const systemClock = forwardClock({
  wall: () => Date.now(),
  monotonic: () => performance.now(),
});

/** How far the clock of a node may be from the database's. With more, /readyz takes the node out. */
export const CLOCK_SKEW_MAX_MS = 30_000;
