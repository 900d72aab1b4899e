import { StorageUnavailable } from '../failures.ts';
import type { Guard } from '../runner.ts';
import { BEGIN, COMMIT, type Command, type CommandResult, checkCommitted } from './command.ts';
import { type CommitMarker, withMarker } from './commit-markers.ts';
import type { CommitOutcomes } from './commit-outcomes.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost } from './failures.ts';
import type { Lease } from './pool.ts';
import type { SingleCall } from './statement-texts.ts';

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
  first.reject(new StorageUnavailable('waited for too long'));
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
  lease: Lease;
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
export async function sendGroup(
  connection: PostgresConnection,
  { ahead, commands, behind }: GroupBatch,
) {
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
