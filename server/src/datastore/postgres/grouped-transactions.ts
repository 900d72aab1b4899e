// Units of work that are one statement, such as an order. Those of one turn of the event loop are committed
// together: a commit costs the server, its disk and this process more than the statements do. They
// lock their rows in one order, so that no two groups wait for each other, and only for a moment,
// so that a row that somebody keeps locked holds up nobody but those who want that row. A group that fails has changed
// nothing; then each goes by itself and gets its own error.

import { type Coalescer, chunksOf } from '../../lib/coalescer.ts';
import { StorageUnavailable } from '../failures.ts';
import type { Settlement, SettlementValues } from '../runner.ts';
import { BEGIN, COMMIT, type Command, checkCommitted, type Outcome } from './command.ts';
import { type Mark, settleCommand } from './commit-markers.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost } from './failures.ts';
import type { PostgresPool } from './pool.ts';

/** Large enough to share a commit, small enough for the server to work on several at once. */
const TOGETHER_MAX = 16;
/** Whoever comes while so many groups are under way joins the next; reads need connections too. */
const GROUPS_MAX = 4;
const WAITING_MAX = 1_024;
/** Whoever has waited for so long is turned away: too little of his time is left to work and to hear of it. */
const WAIT_MAX_MS = 1_000;
const LOCK_MS = 100;
const WAIT_BRIEFLY = { text: `SET LOCAL lock_timeout = ${LOCK_MS}`, values: [] };

interface Unit {
  settlement: Settlement;
  values: SettlementValues;
  /** A moment of performance.now(). */
  startedAt: number;
  resolve: (told: number | undefined) => void;
  reject: (err: unknown) => void;
}

export interface SettlementTimes {
  /** How long a unit may take before its connection is cut. */
  workMs: number;
  /** Within what time it is answered, with the time for looking up a commit whose answer was lost. */
  answerMs: number;
}

/** What became of a commit: 0, or the number that its mark holds. */
export type LookUp = (mark: Mark, deadline: number) => Promise<number>;

export class PostgresSettlements {
  readonly #pool: PostgresPool;
  readonly #lookUp: LookUp;
  readonly #times: SettlementTimes;
  #waiting: Unit[] = [];
  #groups = 0;
  readonly #gather: (unit: Unit) => void;

  constructor(pool: PostgresPool, coalescer: Coalescer, lookUp: LookUp, times: SettlementTimes) {
    this.#pool = pool;
    this.#gather = coalescer.batch((units) => {
      this.#waiting.push(...units);
      this.#sendWaiting();
    });
    this.#lookUp = lookUp;
    this.#times = times;
  }

  /** One that is tried again has less time left than others, so it goes by itself. */
  settle(settlement: Settlement, values: SettlementValues, startedAt: number, isAgain: boolean) {
    return new Promise<number | undefined>((resolve, reject) => {
      const unit = { settlement, values, startedAt, resolve, reject };
      if (isAgain) void this.#send([unit]);
      else if (this.#waiting.length < WAITING_MAX) this.#gather(unit);
      else reject(new StorageUnavailable('too many wait'));
    });
  }

  #sendWaiting(): void {
    this.#turnAwayLate();
    const room = (GROUPS_MAX - this.#groups) * TOGETHER_MAX;
    for (const group of chunksOf(this.#waiting.splice(0, room), TOGETHER_MAX)) {
      this.#groups += 1;
      void this.#send(group).finally(() => {
        this.#groups -= 1;
        this.#sendWaiting();
      });
    }
  }

  #turnAwayLate(): void {
    const latest = performance.now() - WAIT_MAX_MS;
    while (this.#waiting.length > 0 && this.#waiting[0]!.startedAt < latest) {
      this.#waiting.shift()!.reject(new StorageUnavailable('waited for too long'));
    }
  }

  /** Every unit of the group is told what became of it, or goes by itself. */
  async #send(group: readonly Unit[]): Promise<void> {
    const deadline = group[0]!.startedAt + this.#times.workMs;
    const units = group.toSorted((a, b) => a.values[0]! - b.values[0]!);
    const marks: Mark[] = [];
    try {
      const told = await this.#pool.use(deadline, (connection) => {
        for (const _ of units) marks.push(connection.nextMark());
        return commit(connection, units, marks);
      });
      for (const [at, unit] of units.entries()) unit.resolve(told[at]);
    } catch (err) {
      // Without a connection none of them would fare better by itself.
      const isSent = marks.length > 0;
      for (const [at, unit] of units.entries()) {
        if (isSent && err instanceof ConnectionLost) this.#resolveDoubt(unit, marks[at]!, err);
        else if (isSent && units.length > 1) void this.#send([unit]);
        else unit.reject(err);
      }
    }
  }

  #resolveDoubt({ startedAt, resolve, reject }: Unit, mark: Mark, err: ConnectionLost): void {
    this.#lookUp(mark, startedAt + this.#times.answerMs)
      .then((kept) => (kept === 0 ? reject(err) : resolve(kept)))
      .catch(reject);
  }
}

/** What each of the units is told, once all of them are kept. */
async function commit(
  connection: PostgresConnection,
  units: readonly Unit[],
  marks: readonly Mark[],
): Promise<(number | undefined)[]> {
  const now = Date.now();
  const commands = units.map(({ settlement, values }, at) =>
    settleCommand(settlement, values, marks[at]!, at === 0 ? connection.settled : [], now),
  );
  const outcomes =
    commands.length === 1
      ? [await connection.send(commands)]
      : await commitTogether(connection, commands);
  const told = outcomes.map(({ rows }) => rows[0]?.[0] as number | undefined);
  const kept = marks.filter((_, at) => told[at] !== undefined);
  connection.settled = kept.map(({ unit }) => unit);
  return told;
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
