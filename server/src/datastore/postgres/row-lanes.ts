// Units of work that are a single statement each and want a row which is locked or in use. The units of one row form a
// lane: they hold one connection between them and share a commit whenever they can.

import { setImmediate as nextTick } from 'node:timers/promises';
import { StorageBusy } from '../failures.ts';
import type { CommitOutcomes } from './commit-outcomes.ts';
import { GroupFailure, rejectFirstIfLate, type SettleUnits, type Unit } from './commit-units.ts';
import { LockTimeout } from './failures.ts';
import type { WriteConnections } from './write-connections.ts';

const UNITS_MAX = 16;
const WAITING_MAX = 1_024;
/** What a unit needs after it has its lock. */
const COMMIT_MS = 200;
/** For this long after its last unit, a row counts as busy: in a group it could delay units that want other rows. */
const COOL_MS = 2_000;

export interface LaneOptions {
  outcomes: CommitOutcomes;
  settle: SettleUnits;
  /** A unit that has waited for this long is rejected. */
  waitMs: number;
  /** How long a unit may take before its outcome is looked up. */
  workMs: number;
  /** Within what time a unit is settled. */
  answerMs: number;
}

export class RowLanes {
  readonly #writes: WriteConnections;
  readonly #options: LaneOptions;
  readonly #lanes = new Map<string, Unit[]>();
  /** Until when rows without a lane count as busy, the earliest first. */
  readonly #coolAt = new Map<string, number>();

  constructor(writes: WriteConnections, options: LaneOptions) {
    this.#writes = writes;
    this.#options = options;
  }

  /** Whether a unit that wants this row goes to its lane and not into a group. */
  isBusy(row: string): boolean {
    if (this.#lanes.has(row) || this.#writes.isRowHeld(row)) return true;
    const coolAt = this.#coolAt.get(row);
    return coolAt !== undefined && performance.now() < coolAt;
  }

  /** A unit that locks no row has a lane of its own. */
  add(row: string | undefined, unit: Unit): void {
    if (row === undefined) return void this.#send(row, [unit]);
    const lane = this.#lanes.get(row);
    if (!lane) {
      const started = [unit];
      this.#lanes.set(row, started);
      void this.#run(row, started);
    } else if (lane.length < WAITING_MAX) {
      lane.push(unit);
    } else {
      unit.reject(new StorageBusy('too many units of work wait for the row'));
    }
  }

  async #run(row: string, lane: Unit[]): Promise<void> {
    let sizeMax = UNITS_MAX;
    for (;;) {
      await this.#rejectLate(lane);
      if (lane.length === 0) break;
      const units = lane.splice(0, sizeMax);
      const left = await this.#send(row, units);
      lane.unshift(...left);
      // A group with a faulty unit is taken apart, so that each unit gets its own error.
      sizeMax = left.length > 0 && left.length === units.length ? 1 : UNITS_MAX;
    }
    this.#lanes.delete(row);
    this.#cool(row, performance.now());
  }

  /** Units that arrived together become late together. One is rejected in a tick, so that other requests run in between. */
  async #rejectLate(lane: Unit[]): Promise<void> {
    while (rejectFirstIfLate(lane, this.#options.waitMs)) await nextTick();
  }

  #cool(row: string, now: number): void {
    this.#coolAt.delete(row);
    this.#coolAt.set(row, now + COOL_MS);
    for (const [earlier, coolAt] of this.#coolAt) {
      if (coolAt > now) break;
      this.#coolAt.delete(earlier);
    }
  }

  /** Settles the units and returns those that are still to be sent. The deadline of the first unit applies to all. */
  async #send(row: string | undefined, units: readonly Unit[]): Promise<Unit[]> {
    const [first, ...rest] = units as [Unit, ...Unit[]];
    const { workspaceId, startedAt, isRetry } = first;
    const { settle, outcomes, waitMs, workMs, answerMs } = this.#options;
    const workDeadline = startedAt + workMs;
    const waitUntil = isRetry ? workDeadline : startedAt + waitMs;
    try {
      const acquired = await this.#writes.acquire({
        waitUntil,
        deadline: workDeadline,
        workspaceId,
        row,
      });
      try {
        const before = [lockTimeout(workDeadline - COMMIT_MS - performance.now())];
        await settle(units, { acquired, outcomes, before, deadline: startedAt + answerMs });
      } finally {
        acquired.release();
      }
      return [];
    } catch (err) {
      const isGroupFailure = err instanceof GroupFailure;
      const cause = isGroupFailure ? err.cause : err;
      const isOver = rest.length === 0 || cause instanceof LockTimeout || !isGroupFailure;
      if (!isOver) return [...units];
      first.reject(cause);
      return rest;
    }
  }
}

function lockTimeout(ms: number) {
  const values = [String(Math.max(1, Math.floor(ms)))];
  return { text: "SELECT set_config('lock_timeout', $1, true)", values };
}
