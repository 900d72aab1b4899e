// Units of work that are a single statement, such as an order. Those of one tick share a commit: a commit costs
// the server, its disk and this process more than the statements do. The statements of a group lock their rows in one
// order, so that no two groups deadlock, and wait only briefly for a lock, so that a row which stays locked delays only
// those that want it. A group that fails has changed nothing; each of its units then runs by itself and gets its own error.

import { type Coalescer, chunksOf } from '../../lib/coalescer.ts';
import { StorageUnavailable } from '../failures.ts';
import type { SingleStatement, SingleStatementValues } from '../runner.ts';
import { BEGIN, COMMIT, type Command, checkCommitted, control, type Outcome } from './command.ts';
import { type CommitMarker, withMarker } from './commit-markers.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost } from './failures.ts';
import type { PostgresPool } from './pool.ts';

/** Large enough to share a commit, small enough for the server to work on several groups at once. */
const UNITS_MAX = 16;
/** While this many groups are under way, new units wait and form the next group. */
const GROUPS_MAX = 4;
const WAITING_MAX = 1_024;
/** A unit that has waited for this long is rejected: too little time is left to run it and to look up its commit. */
const WAIT_MAX_MS = 1_000;
const LOCK_MS = 100;
const WAIT_BRIEFLY = control(`SET LOCAL lock_timeout = ${LOCK_MS}`);

interface SingleUnit {
  statement: SingleStatement;
  values: SingleStatementValues;
  /** A reading of performance.now(). */
  startedAt: number;
  /** A retry has less time left than others, so it does not wait for a group. */
  isRetry: boolean;
}

interface Unit extends SingleUnit {
  resolve: (result: number | undefined) => void;
  reject: (err: unknown) => void;
}

export interface GroupOptions {
  /** Returns what the marker of a commit holds; 0 if the commit did not take place. */
  findOutcome: (marker: CommitMarker, deadline: number) => Promise<number>;
  /** How long a unit may take before its connection is destroyed. */
  workMs: number;
  /** Within what time the outcome of a commit is looked up whose answer was lost. */
  answerMs: number;
}

export class GroupedTransactions {
  readonly #pool: PostgresPool;
  readonly #options: GroupOptions;
  readonly #collect: (unit: Unit) => void;
  #waiting: Unit[] = [];
  #groups = 0;

  constructor(pool: PostgresPool, coalescer: Coalescer, options: GroupOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#collect = coalescer.batch((units) => {
      this.#waiting.push(...units);
      this.#sendWaiting();
    });
  }

  /** Resolves with the result of the statement once it is committed; undefined if it changed nothing. */
  commit(single: SingleUnit): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const unit = { ...single, resolve, reject };
      if (unit.isRetry) void this.#send([unit]);
      else if (this.#waiting.length < WAITING_MAX) this.#collect(unit);
      else reject(new StorageUnavailable('too many units of work wait'));
    });
  }

  #sendWaiting(): void {
    this.#rejectLate();
    const room = (GROUPS_MAX - this.#groups) * UNITS_MAX;
    for (const group of chunksOf(this.#waiting.splice(0, room), UNITS_MAX)) {
      this.#groups += 1;
      void this.#send(group).finally(() => {
        this.#groups -= 1;
        this.#sendWaiting();
      });
    }
  }

  #rejectLate(): void {
    const latest = performance.now() - WAIT_MAX_MS;
    while (this.#waiting.length > 0 && this.#waiting[0]!.startedAt < latest) {
      this.#waiting.shift()!.reject(new StorageUnavailable('waited for too long'));
    }
  }

  /** Settles every unit of the group, or sends it again by itself. */
  async #send(group: readonly Unit[]): Promise<void> {
    const deadline = group[0]!.startedAt + this.#options.workMs;
    const units = group.toSorted((a, b) => a.values[0] - b.values[0]);
    const markers: CommitMarker[] = [];
    try {
      const results = await this.#pool.use(deadline, (connection) => {
        for (const _ of units) markers.push(connection.nextMarker());
        return commitUnits(connection, units, markers);
      });
      for (const [at, unit] of units.entries()) unit.resolve(results[at]);
    } catch (err) {
      // Without a connection none of them would do better by itself.
      const isSent = markers.length > 0;
      for (const [at, unit] of units.entries()) {
        if (isSent && err instanceof ConnectionLost) this.#resolveDoubt(unit, markers[at]!, err);
        else if (isSent && units.length > 1) void this.#send([unit]);
        else unit.reject(err);
      }
    }
  }

  #resolveDoubt(
    { startedAt, resolve, reject }: Unit,
    marker: CommitMarker,
    err: ConnectionLost,
  ): void {
    this.#options
      .findOutcome(marker, startedAt + this.#options.answerMs)
      .then((outcome) => (outcome === 0 ? reject(err) : resolve(outcome)))
      .catch(reject);
  }
}

/** Returns the result of each unit once all are committed. */
async function commitUnits(
  connection: PostgresConnection,
  units: readonly Unit[],
  markers: readonly CommitMarker[],
): Promise<(number | undefined)[]> {
  const now = Date.now();
  const commands = units.map((unit, at) =>
    withMarker(unit, markers[at]!, at === 0 ? connection.obsoleteMarkers : [], now),
  );
  const outcomes =
    commands.length === 1
      ? [await connection.send(commands)]
      : await commitTogether(connection, commands);
  const results = outcomes.map(({ rows }) => rows[0]?.[0] as number | undefined);
  const written = markers.filter((_, at) => results[at] !== undefined);
  connection.obsoleteMarkers = written.map(({ unit }) => unit);
  return results;
}

async function commitTogether(
  connection: PostgresConnection,
  commands: readonly Command[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  try {
    await connection.sendAll([BEGIN, WAIT_BRIEFLY, ...commands, COMMIT], (_, outcome) => {
      outcomes.push(outcome);
    });
  } catch (err) {
    await connection.rollBack();
    throw err;
  }
  checkCommitted(outcomes.at(-1)!);
  return outcomes.slice(2, -1);
}
