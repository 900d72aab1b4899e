import { DAY_SECONDS } from './durations.ts';

/** How long a replaced key or signing secret works beside the new one. */
export const OVERLAP_SECONDS_DEFAULT = DAY_SECONDS;
export const OVERLAP_SECONDS_MAX = 30 * DAY_SECONDS;
