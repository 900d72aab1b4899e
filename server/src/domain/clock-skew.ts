/** How far the clock of a node may be from the database's. With more, /readyz takes the node out. */
export const CLOCK_SKEW_MAX_MS = 30_000;
