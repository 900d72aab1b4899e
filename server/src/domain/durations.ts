export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const MINUTES_A_DAY = DAY_MS / MINUTE_MS;
const DAY_SECONDS = DAY_MS / SECOND_MS;

/** How long a replaced key or signing secret works beside the new one. */
export const OVERLAP_SECONDS_DEFAULT = DAY_SECONDS;
export const OVERLAP_SECONDS_MAX = 30 * DAY_SECONDS;
