import type { SingleStatement, SingleStatementValues } from '../runner.ts';
import { BEGIN, COMMIT, type Command, checkCommitted, type Outcome } from './command.ts';
import { type CommitMarker, withMarker } from './commit-markers.ts';
import type { CommitOutcomes } from './commit-outcomes.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost } from './failures.ts';
import type { Lease } from './pool.ts';

/** A unit of work that is a single statement. */
export interface SingleUnit {
  statement: SingleStatement;
  values: SingleStatementValues;
  workspaceId: number | undefined;
  /** A reading of performance.now(). */
  startedAt: number;
  /** A retry has less time left than others, so it does not wait for a group. */
  isRetry: boolean;
}

export interface Unit extends SingleUnit {
  resolve: (result: number | undefined) => void;
  reject: (err: unknown) => void;
}

/** A group failed and changed nothing. `at` is the unit whose statement failed, if one did. */
export class GroupFailure extends Error {
  readonly at: number | undefined;
  constructor(at: number | undefined, cause: unknown) {
    super('a group of units failed', { cause });
    this.at = at;
  }
}

export interface GroupCommit {
  lease: Lease;
  outcomes: CommitOutcomes;
  /** A reading of performance.now(): until when the outcome of the commit is waited for. */
  deadline: number;
  /** Commands that precede the units in their transaction. */
  before?: readonly Command[];
}

/** Commits the units together and settles each of them. Throws GroupFailure, and then none is settled. */
export async function settleUnits(units: readonly Unit[], commit: GroupCommit): Promise<void> {
  const { lease, outcomes, deadline, before = [] } = commit;
  const markers = units.map(() => lease.connection.nextMarker());
  const answer = commitUnits(lease.connection, units, { markers, before });
  try {
    const outcome = await outcomes.settle(answer, { lease, markers, deadline });
    for (const [at, unit] of units.entries()) {
      if ('answer' in outcome) unit.resolve(outcome.answer[at]);
      else if (outcome.found[at] !== 0) unit.resolve(outcome.found[at]);
      else unit.reject(new ConnectionLost('the unit was not committed'));
    }
  } catch (err) {
    if (err instanceof GroupFailure) throw err;
    for (const unit of units) unit.reject(err);
  }
}

/** Returns the result of each unit. Throws ConnectionLost, or GroupFailure. */
async function commitUnits(
  connection: PostgresConnection,
  units: readonly Unit[],
  { markers, before }: { markers: readonly CommitMarker[]; before: readonly Command[] },
): Promise<(number | undefined)[]> {
  const now = Date.now();
  const commands = units.map((unit, at) =>
    withMarker(unit, markers[at]!, at === 0 ? connection.obsoleteFrom : markers[at]!.unit, now),
  );
  // A single statement is a transaction by itself.
  const isSingle = commands.length === 1 && before.length === 0;
  const ahead = isSingle ? [] : [BEGIN, ...before];
  const batch = isSingle ? commands : [...ahead, ...commands, COMMIT];
  const outcomes = await sendGroup(connection, batch, ahead.length);
  if (!isSingle) checkCommitted(outcomes.pop()!);
  connection.obsoleteFrom = markers[0]!.unit;
  return outcomes.slice(ahead.length).map(({ rows }) => rows[0]?.[0] as number | undefined);
}

async function sendGroup(
  connection: PostgresConnection,
  batch: readonly Command[],
  ahead: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  try {
    await connection.sendAll(batch, (_, outcome) => outcomes.push(outcome));
  } catch (err) {
    if (err instanceof ConnectionLost) throw err;
    if (batch.length > 1) await connection.rollBack();
    const at = outcomes.length - ahead;
    const isUnit = at >= 0 && (batch.length === 1 || outcomes.length < batch.length - 1);
    throw new GroupFailure(isUnit ? at : undefined, err);
  }
  return outcomes;
}
