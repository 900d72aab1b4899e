// Units of work that are a single statement, such as an order. Those of one tick share a commit: a commit costs
// the server, its disk and this process more than the statements do. The statements of a group lock their rows in one
// order, so that no two groups deadlock, and wait only briefly for a lock. A group that fails has changed nothing: the unit
// that failed leaves it, and the others are sent again. So a row that stays locked delays only those that want it.

import { chunksOf } from '../../lib/chunks.ts';
import type { Coalescer } from '../../lib/coalescer.ts';
import { StorageBusy } from '../failures.ts';
import { GroupFailure, rejectFirstIfLate, type SingleUnit, type Unit } from './commit-units.ts';
import type { PostgresPool } from './pool.ts';
import { type LaneOptions, RowLanes } from './row-lanes.ts';
import { rowName, type WriteConnections } from './write-connections.ts';

/** Large enough to share a commit, small enough for the server to work on several groups at once. */
const UNITS_MAX = 16;
const WAITING_MAX = 1_024;

interface GroupOptions extends LaneOptions {
  /** Connections for groups alone, on which a statement waits only briefly for a lock. */
  pool: PostgresPool;
  /** While this many groups are under way, new units wait and form the next group. */
  groupsMax: number;
  /** Connections for units that leave their group. */
  writes: WriteConnections;
}

export class GroupedTransactions {
  readonly #options: GroupOptions;
  readonly #lanes: RowLanes;
  readonly #collect: (unit: Unit) => void;
  #waiting: Unit[] = [];
  #groups = 0;

  constructor(coalescer: Coalescer, options: GroupOptions) {
    this.#options = options;
    this.#lanes = new RowLanes(options.writes, options);
    this.#collect = coalescer.batch((units) => {
      this.#waiting.push(...units);
      this.#sendWaiting();
    });
  }

  /** Resolves with the result of the statement once it is committed; undefined if it changed nothing. */
  commit(single: SingleUnit): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const unit = { ...single, resolve, reject };
      const row = rowOf(unit);
      if (unit.isRetry || (row !== undefined && this.#lanes.isBusy(row))) this.#sendApart(unit);
      else if (this.#waiting.length < WAITING_MAX) this.#collect(unit);
      else reject(new StorageBusy('too many units of work wait'));
    });
  }

  #sendWaiting(): void {
    while (rejectFirstIfLate(this.#waiting, this.#options.waitMs));
    const room = (this.#options.groupsMax - this.#groups) * UNITS_MAX;
    for (const group of chunksOf(this.#waiting.splice(0, room), UNITS_MAX)) {
      this.#groups += 1;
      const units = group.toSorted((a, b) => a.values[0] - b.values[0]);
      void this.#send(units).finally(() => {
        this.#groups -= 1;
        this.#sendWaiting();
      });
    }
  }

  /** Settles every unit of the group, or sends it again. */
  async #send(units: readonly Unit[]): Promise<void> {
    const { pool, settle, outcomes, waitMs, workMs, answerMs } = this.#options;
    const startedAt = Math.min(...units.map((unit) => unit.startedAt));
    try {
      const acquired = await pool.acquire(startedAt + workMs, startedAt + waitMs);
      try {
        await settle(units, { acquired, outcomes, deadline: startedAt + answerMs });
      } finally {
        acquired.release();
      }
    } catch (err) {
      if (err instanceof GroupFailure) return this.#sendAgain(units, err.at);
      // Without a connection none of them would do better apart.
      for (const unit of units) unit.reject(err);
    }
  }

  /** Those that want the row of the unit that failed would fail too. */
  async #sendAgain(units: readonly Unit[], failedAt: number | undefined): Promise<void> {
    const failed = failedAt === undefined ? undefined : units[failedAt];
    const row = failed && rowOf(failed);
    const isApart = (unit: Unit) =>
      !failed || unit === failed || (row !== undefined && rowOf(unit) === row);
    for (const unit of units.filter(isApart)) this.#sendApart(unit);
    const others = units.filter((unit) => !isApart(unit));
    if (others.length > 0) await this.#send(others);
  }

  #sendApart(unit: Unit): void {
    this.#lanes.add(rowOf(unit), unit);
  }
}

function rowOf({ statement, values }: Unit): string | undefined {
  return statement.lockedTable && rowName(statement.lockedTable, values[0]);
}
