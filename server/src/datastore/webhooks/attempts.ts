// The rows of attempts and of parked events.

import type { AttemptRecord, ParkedRecord } from '../../domain/delivery.ts';
import type { Row, Value } from '../runner.ts';
import { optional, plain, Table } from '../table.ts';

export const attemptTable = new Table<Omit<AttemptRecord, 'isVerification'>>('webhook_attempts', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    firstSequence: optional('first_sequence'),
    lastSequence: optional('last_sequence'),
    attempt: plain('attempt'),
    at: plain('at'),
    durationMs: plain('duration_ms'),
    outcome: plain('outcome'),
    status: optional('status'),
    excerpt: optional('excerpt'),
  },
  hidden: ['webhook_id'],
});

export const parkedTable = new Table<ParkedRecord>('webhook_parked', {
  key: ['workspace_id', 'webhook_id', 'sequence'],
  fields: {
    sequence: plain('sequence'),
    attempts: plain('attempts'),
    status: optional('status'),
    parkedAt: plain('parked_at'),
  },
});

/** No event has this number. It marks a ping of the verification; a ping of the owner has none. */
const VERIFICATION = 0;

/** The values of all columns but the id, which is the first. */
export function attemptValues({ isVerification, ...attempt }: Omit<AttemptRecord, 'id'>): Value[] {
  const mark = isVerification ? { lastSequence: VERIFICATION } : {};
  return attemptTable.valuesOf({ id: 0, ...attempt, ...mark }).slice(1);
}

export function attemptOf(row: Row): AttemptRecord {
  const { lastSequence, ...attempt } = attemptTable.recordOf(row);
  if (lastSequence === VERIFICATION) return { ...attempt, isVerification: true };
  return { ...attempt, ...(lastSequence === undefined ? {} : { lastSequence }) };
}
