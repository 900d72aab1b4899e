// Units of work that are a single statement each and want a row which is locked or in use. The units of one row form a
// lane: they hold one connection between them and share a commit whenever they can.

import { StorageUnavailable } from '../failures.ts';
import type { CommitMarker } from './commit-markers.ts';
import { commitUnits, GroupFailure, type Unit } from './commit-units.ts';
import { ConnectionLost, LockTimeout } from './failures.ts';
import type { WriteConnections } from './write-connections.ts';

const UNITS_MAX = 16;
const WAITING_MAX = 1_024;
/** What a unit needs after it has its lock. */
const COMMIT_MS = 200;

export interface LaneOptions {
  workMs: number;
  resolveDoubt: (unit: Unit, marker: CommitMarker, err: ConnectionLost) => void;
}

export class RowLanes {
  readonly #writes: WriteConnections;
  readonly #options: LaneOptions;
  readonly #lanes = new Map<string, Unit[]>();

  constructor(writes: WriteConnections, options: LaneOptions) {
    this.#writes = writes;
    this.#options = options;
  }

  /** Whether a unit that wants this row would wait. */
  isBusy(row: string): boolean {
    return this.#lanes.has(row) || this.#writes.isRowHeld(row);
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
      unit.reject(new StorageUnavailable('too many units of work wait for the row'));
    }
  }

  async #run(row: string, lane: Unit[]): Promise<void> {
    let sizeMax = UNITS_MAX;
    while (lane.length > 0) {
      const units = lane.splice(0, sizeMax);
      const left = await this.#send(row, units);
      lane.unshift(...left);
      // A group with a faulty unit is taken apart, so that each unit gets its own error.
      sizeMax = left.length > 0 && left.length === units.length ? 1 : UNITS_MAX;
    }
    this.#lanes.delete(row);
  }

  /** Settles the units and returns those that are still to be sent. All wait no longer than the first of them may. */
  async #send(row: string | undefined, units: readonly Unit[]): Promise<Unit[]> {
    const [first, ...rest] = units as [Unit, ...Unit[]];
    const { workspaceId, startedAt } = first;
    const deadline = startedAt + this.#options.workMs;
    const markers: CommitMarker[] = [];
    try {
      const lease = await this.#writes.lease({ deadline, workspaceId, row });
      try {
        for (const _ of units) markers.push(lease.connection.nextMarker());
        const before = [lockTimeout(deadline - COMMIT_MS - performance.now())];
        const results = await commitUnits(lease.connection, units, { markers, before });
        for (const [at, unit] of units.entries()) unit.resolve(results[at]);
      } finally {
        lease.release();
      }
      return [];
    } catch (err) {
      if (err instanceof ConnectionLost && markers.length > 0) {
        for (const [at, unit] of units.entries()) {
          this.#options.resolveDoubt(unit, markers[at]!, err);
        }
        return [];
      }
      const cause = err instanceof GroupFailure ? err.cause : err;
      const isOver = rest.length === 0 || cause instanceof LockTimeout || markers.length === 0;
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
