// How units of work that are a single statement are committed together. Units without a guard take one round trip. Units
// under a guard, such as orders with an Idempotency-Key, take two: the first runs their statements, then each makes its
// response, and the second stores the responses and commits.

import { OutcomeUnknown, StorageBusy } from '../failures.ts';
import type { Guard } from '../runner.ts';
import {
  BEGIN,
  COMMIT,
  type Command,
  type CommandResult,
  checkCommitted,
} from './command-batch.ts';
import {
  type CommitMarker,
  oncePerStatement,
  type SingleCall,
  withMarker,
} from './commit-markers.ts';
import type { CommitOutcomes } from './commit-outcomes.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost, MustRunAgain } from './failures.ts';
import type { Acquired } from './pool.ts';

/** A unit of work whose changes are a single statement and, under a guard, what `finish` returns. */
export interface SingleUnit extends SingleCall {
  workspaceId: number | undefined;
  /** A reading of performance.now(). */
  startedAt: number;
  /** A retry has less time left than others, so it does not wait for a group. */
  isRetry: boolean;
  guard?: Guard;
  /** Called with the result, before the commit. Resolves with the unit's other changes. */
  finish?: (result: number) => Promise<readonly Command[]>;
}

export interface Unit extends SingleUnit {
  resolve: (result: number | undefined) => void;
  reject: (err: unknown) => void;
}

/** Rejects the first unit of a queue if it has waited for too long. Retries have waited before; they are few. */
export function rejectFirstIfLate(waiting: Unit[], waitMs: number): boolean {
  const [first] = waiting;
  if (!first || first.isRetry || first.startedAt >= performance.now() - waitMs) return false;
  waiting.shift();
  first.reject(new StorageBusy('waited for too long'));
  return true;
}

/** A group failed and changed nothing. `at` is the unit whose statement failed, if one did. */
export class GroupFailure extends Error {
  readonly at: number | undefined;
  constructor(at: number | undefined, cause: unknown) {
    super('a group of units failed', { cause });
    this.at = at;
  }
}

interface CommitContext {
  acquired: Acquired;
  outcomes: CommitOutcomes;
  /** A reading of performance.now(): until when the outcome of the commit is waited for. */
  deadline: number;
  /** Commands that precede the units in their transaction. */
  before?: readonly Command[];
}

/** Commits units together and settles each of them. Throws GroupFailure or ConnectionLost, and then none is settled. */
export type SettleUnits = (units: readonly Unit[], commit: CommitContext) => Promise<void>;

/** Takes one round trip. */
export const settleUnits: SettleUnits = async (units, commit) => {
  const { acquired, outcomes, deadline, before = [] } = commit;
  const markers = units.map(() => acquired.connection.nextMarker());
  const answer = commitUnits(acquired.connection, units, { markers, before });
  try {
    const outcome = await outcomes.settle(answer, { acquired, markers, deadline });
    for (const [at, unit] of units.entries()) {
      if ('answer' in outcome) unit.resolve(outcome.answer[at]);
      else if (outcome.found[at]!.isCommitted) unit.resolve(outcome.found[at]!.result);
      else unit.reject(new ConnectionLost('the unit was not committed'));
    }
  } catch (err) {
    if (err instanceof GroupFailure) throw err;
    for (const unit of units) unit.reject(err);
  }
};

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
  const batch = isSingle
    ? { ahead: [], commands, behind: [] }
    : { ahead: [BEGIN, ...before], commands, behind: [COMMIT] };
  const { results, last } = await sendGroup(connection, batch);
  if (!isSingle) checkCommitted(last);
  connection.obsoleteFrom = markers[0]!.unit;
  return results;
}

interface GroupBatch {
  ahead: readonly Command[];
  /** One for each unit. */
  commands: readonly Command[];
  behind: readonly Command[];
}

/** Sends a group in one round trip. Throws ConnectionLost, or GroupFailure once its transaction is rolled back. */
async function sendGroup(connection: PostgresConnection, { ahead, commands, behind }: GroupBatch) {
  const received: CommandResult[] = [];
  try {
    const batch = [...ahead, ...commands, ...behind];
    await connection.sendAll(batch, (_, result) => received.push(result));
  } catch (err) {
    if (err instanceof ConnectionLost) throw err;
    if (ahead.length > 0) await connection.rollBack();
    const at = received.length - ahead.length;
    throw new GroupFailure(at >= 0 && at < commands.length ? at : undefined, err);
  }
  const own = received.slice(ahead.length, ahead.length + commands.length);
  const results = own.map(({ rows }) => rows[0]?.[0] as number | undefined);
  return { results, last: received.at(-1)! };
}

// There is one kind of guard, so a statement has one guarded text.
const guardedText = oncePerStatement(({ statement: { ctes, column }, guard }: Unit, first) => {
  const condition = ` AND ${guard!.condition(first)}`;
  return `WITH ${ctes(condition)} SELECT ${column} FROM result`;
});

/**
 * A unit that changed nothing is resolved at once and goes on by itself: the row of its guard exists, or its statement found
 * nothing to change. If the second round trip fails, each of the others runs again by itself.
 */
export const settleGuarded: SettleUnits = async (units, commit) => {
  const { acquired, outcomes, deadline, before = [] } = commit;
  const { connection } = acquired;
  const commands = units.map((unit) => {
    return { text: guardedText(unit), values: [...unit.values, ...unit.guard!.values] };
  });
  const batch = { ahead: [BEGIN, ...before], commands, behind: [] };
  const { results } = await sendGroup(connection, batch);
  const rest = units.map((unit, at) => {
    const result = results[at];
    return result === undefined ? unit.resolve(undefined) : unit.finish!(result);
  });
  if (rest.every((finishing) => finishing === undefined)) return connection.rollBack();
  try {
    const changes = (await Promise.all(rest)).flatMap((own) => own ?? []);
    await outcomes.commit({ acquired, deadline }, (end) => connection.send([...changes, ...end]));
    for (const [at, unit] of units.entries()) unit.resolve(results[at]);
  } catch (err) {
    const isFinal = err instanceof ConnectionLost || err instanceof OutcomeUnknown;
    const failure = isFinal ? err : new MustRunAgain('the group failed', { cause: err });
    for (const unit of units) unit.reject(failure);
    await connection.rollBack();
  }
};
