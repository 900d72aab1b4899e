/** Milliseconds since the Unix epoch. Everything that depends on time is handed one of these. */
export interface Clock {
  now(): number;
}

/**
 * The wall clock as it stood when the process started, carried on by the monotonic clock. Setting the
 * machine's time while the service runs therefore moves no window and lengthens no ban.
 */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
};
