// Connections for units of work. A unit that waits for a locked row keeps its connection, so the number of units that
// may wait is bounded twice: units that want the same row wait in this process and hold one connection between them, and
// no workspace holds more than half of the connections.

import { KeyedSemaphore, type Release } from '../../lib/keyed-semaphore.ts';
import { StorageUnavailable } from '../failures.ts';
import { type Acquired, halfOf, type PostgresPool } from './pool.ts';

interface AcquireRequest {
  /** A reading of performance.now(): until when the unit may wait for its connection. */
  waitUntil: number;
  /** Until when it may use it. */
  deadline: number;
  workspaceId: number | undefined;
  /** The row that the first statement locks. */
  row: string | undefined;
}

export class WriteConnections {
  readonly #pool: PostgresPool;
  readonly #rows = new KeyedSemaphore<string>(1);
  readonly #workspaces: KeyedSemaphore<number>;

  constructor(pool: PostgresPool, connections: number) {
    this.#pool = pool;
    this.#workspaces = new KeyedSemaphore(halfOf(connections));
  }

  /** Whether a unit holds the row or waits for it. */
  isRowHeld(row: string): boolean {
    return this.#rows.isHeld(row);
  }

  /** The row comes first: a unit that waits for it holds nothing else. */
  async acquire({ waitUntil, deadline, workspaceId, row }: AcquireRequest): Promise<Acquired> {
    const held: Release[] = [];
    const releaseHeld = () => {
      for (const release of held.toReversed()) release();
    };
    const hold = (release: Release | undefined, reason: string) => {
      if (!release) throw new StorageUnavailable(reason);
      held.push(release);
    };
    try {
      if (row !== undefined) {
        hold(await this.#rows.acquire(row, waitUntil), 'the row stays locked');
      }
      if (workspaceId !== undefined) {
        const release = await this.#workspaces.acquire(workspaceId, waitUntil);
        hold(release, 'the workspace has too many writes under way');
      }
      const acquired = await this.#pool.acquire(deadline, waitUntil);
      held.push(acquired.release);
      return { ...acquired, release: releaseHeld };
    } catch (err) {
      releaseHeld();
      throw err;
    }
  }
}

export function rowName(table: string, id: unknown): string {
  return `${table} ${id}`;
}
