/** A node that was not seen for this time is lost. */
export const NODE_ALIVE_MS = 15_000;

/** `unavailable`: it answers 503 on /readyz. `lost`: it was not seen lately and did not say that it stops. */
export const nodeStates = ['ready', 'unavailable', 'stopping', 'lost'] as const;

/** What a node says of itself every few seconds. */
export interface NodeReport {
  version: string;
  state: (typeof nodeStates)[number];
  /** Whether it applies limits together with the other nodes. */
  limiter: 'shared' | 'alone';
  /** How far its clock is ahead of the database's; absent where the database has none of its own. */
  clockSkewMs?: number | undefined;
  /** Since the report before. */
  requestsPerMinute: number;
  /** Resident. */
  memoryBytes: number;
}

export interface NodeRecord extends NodeReport {
  /** Another for every process. */
  id: string;
  startedAt: number;
  seenAt: number;
}
