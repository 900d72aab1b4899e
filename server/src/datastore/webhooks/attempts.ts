// The rows of attempts and of parked events.

import type { AttemptRecord, ParkedRecord } from '../../domain/delivery.ts';
import type { Value } from '../runner.ts';

type AttemptRow = readonly [
  id: number,
  firstSequence: number | null,
  lastSequence: number | null,
  attempt: number,
  at: number,
  durationMs: number,
  outcome: AttemptRecord['outcome'],
  status: number | null,
  excerpt: string | null,
];
type ParkedRow = readonly [id: number, attempts: number, status: number | null, parkedAt: number];

export const ATTEMPT_COLUMNS =
  'id, first_sequence, last_sequence, attempt, at, duration_ms, outcome, status, excerpt';

/** No event has this number. It marks a ping of the verification; a ping of the owner has none. */
const VERIFICATION = 0;

export function attemptValues(attempt: Omit<AttemptRecord, 'id'>): Value[] {
  const { firstSequence = null, lastSequence = null, status = null, excerpt = null } = attempt;
  const { attempt: count, at, durationMs, outcome, isVerification } = attempt;
  const last = isVerification ? VERIFICATION : lastSequence;
  return [firstSequence, last, count, at, durationMs, outcome, status, excerpt];
}

export function attemptOf(row: AttemptRow): AttemptRecord {
  const [id, firstSequence, lastSequence, attempt, at, durationMs, outcome, status, excerpt] = row;
  return {
    id,
    ...(firstSequence === null ? {} : { firstSequence }),
    ...(lastSequence === VERIFICATION ? { isVerification: true } : {}),
    ...(lastSequence === null || lastSequence === VERIFICATION ? {} : { lastSequence }),
    attempt,
    at,
    durationMs,
    outcome,
    ...(status === null ? {} : { status }),
    ...(excerpt === null ? {} : { excerpt }),
  };
}

export function parkedOf([sequence, attempts, status, parkedAt]: ParkedRow): ParkedRecord {
  return { sequence, attempts, ...(status === null ? {} : { status }), parkedAt };
}
