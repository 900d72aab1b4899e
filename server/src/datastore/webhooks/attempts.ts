// The rows of attempts and of parked events.

import type { AttemptRecord, ParkedRecord } from '../../domain/delivery.ts';
import { dialectOf, perEngine } from '../dialect.ts';
import { type Runner, statement } from '../runner.ts';
import { flag, optional, plain, Table } from '../table.ts';

export const attemptTable = new Table<AttemptRecord>('webhook_attempts', {
  key: ['workspace_id', 'id'],
  fields: {
    id: plain('id'),
    firstSequence: optional('first_sequence'),
    lastSequence: optional('last_sequence'),
    isVerification: flag('is_verification'),
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

const countThoseParked = perEngine(({ isIn }) =>
  statement<readonly [id: number, count: number]>(
    `SELECT webhook_id, count(*) FROM webhook_parked
     WHERE workspace_id = $1 AND ${isIn('webhook_id', '$2')} GROUP BY webhook_id`,
  ),
);

/** How many events are parked for each of these webhooks that has any. */
export async function countParked(
  runner: Runner,
  workspaceId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const values = [workspaceId, dialectOf(runner).list(ids)];
  return new Map(await runner.rows(countThoseParked(runner), values, workspaceId));
}
