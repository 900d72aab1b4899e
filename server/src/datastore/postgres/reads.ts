// Reads of one tick travel together: a round trip costs this process and the server more than the rows do. Each is
// resolved when it is done. When one fails, those behind it are sent once more, each by itself, so that no read gets
// the error of another.

import { chunksOf } from '../../lib/chunks.ts';
import type { Coalescer } from '../../lib/coalescer.ts';
import { KeyedSemaphore } from '../../lib/keyed-semaphore.ts';
import { StorageUnavailable } from '../failures.ts';
import type { Row, Runner, Statement, Value } from '../runner.ts';
import type { Command, CommandResult } from './command-batch.ts';
import { ConnectionLost } from './failures.ts';
import { halfOf, type PostgresPool } from './pool.ts';

/** A slow read delays those behind it, so lists are spread over several connections. Looking up a row is never slow. */
const LISTS_MAX = 4;
const ROWS_MAX = 16;
/** A server that was restarted leaves a whole pool of dead connections behind. */
const LOSSES_MAX = 10;

interface Read {
  command: Command;
  isOneRow: boolean;
  workspaceId: number | undefined;
  resolve: (result: CommandResult) => void;
  reject: (err: unknown) => void;
}

interface ReadOptions extends ReadTimes {
  /** How many the pool has. */
  connections: number;
}

interface ReadTimes {
  /** How long reads may take before their connection is destroyed. */
  workMs: number;
  /** Until when reads are sent again whose connection turns out to be dead. */
  retryUntilMs: number;
}

/** Writes do not compile outside a transaction: its readers call none of these. */
export abstract class PostgresReadRunner implements Runner {
  readonly engine = 'postgres';
  abstract row<R extends Row>(
    statement: Statement<R>,
    values: readonly Value[],
  ): Promise<R | undefined>;
  abstract rows<R extends Row>(
    statement: Statement<R>,
    values: readonly Value[],
    workspaceId?: number,
  ): Promise<R[]>;
  run = refuseWrite;
  runLater = refuseWrite;
  runEach = refuseWrite;
  rowEach = refuseWrite;
  commitSingle = refuseWrite;
  guard = refuseWrite;
}

function refuseWrite(): never {
  throw new Error('only a unit of work writes');
}

export class PostgresReads extends PostgresReadRunner {
  readonly #pool: PostgresPool;
  readonly #times: ReadTimes;
  readonly #sendAtTickEnd: (read: Read) => void;
  readonly #workspaces: KeyedSemaphore<number>;

  constructor(pool: PostgresPool, coalescer: Coalescer, { connections, ...times }: ReadOptions) {
    super();
    this.#pool = pool;
    this.#times = times;
    this.#workspaces = new KeyedSemaphore(halfOf(connections));
    this.#sendAtTickEnd = coalescer.batch((reads) => this.#sendTick(reads));
  }

  /** A row that is looked up by its key. */
  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#read(statement, values, true)).rows[0] as R | undefined;
  }

  async rows<R extends Row>(
    statement: Statement<R>,
    values: readonly Value[],
    workspaceId?: number,
  ) {
    return (await this.#read(statement, values, false, workspaceId)).rows as unknown as R[];
  }

  #read(
    { text }: Statement,
    values: readonly Value[],
    isOneRow: boolean,
    workspaceId?: number,
  ): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      const command = { text, values };
      this.#sendAtTickEnd({ command, isOneRow, workspaceId, resolve, reject });
    });
  }

  #sendTick(reads: readonly Read[]): void {
    const startedAt = performance.now();
    const rows = reads.filter(({ isOneRow }) => isOneRow);
    const lists = mergeEqual(reads.filter(({ isOneRow }) => !isOneRow));
    for (const batch of chunksOf(rows, ROWS_MAX))
      void this.#sendBatch(batch, startedAt, LOSSES_MAX);
    for (const [workspaceId, own] of Map.groupBy(lists, (read) => read.workspaceId)) {
      for (const batch of chunksOf(own, LISTS_MAX)) {
        void this.#sendLists(workspaceId, batch, startedAt);
      }
    }
  }

  /** The lists of one workspace hold at most half of the connections, and wait for each other in this process. */
  async #sendLists(
    workspaceId: number | undefined,
    lists: readonly Read[],
    startedAt: number,
  ): Promise<void> {
    if (workspaceId === undefined) return this.#sendBatch(lists, startedAt, LOSSES_MAX);
    const deadline = startedAt + this.#times.workMs;
    const release = await this.#workspaces.acquire(workspaceId, deadline);
    if (release) return this.#sendBatch(lists, startedAt, LOSSES_MAX).finally(release);
    const failure = new StorageUnavailable('the workspace has too many reads under way');
    for (const list of lists) list.reject(failure);
  }

  async #sendBatch(reads: readonly Read[], startedAt: number, lossesLeft: number): Promise<void> {
    let done = 0;
    let isSent = false;
    try {
      await this.#pool.use(startedAt + this.#times.workMs, async (connection) => {
        isSent = true;
        const commands = reads.map(({ command }) => command);
        await connection.sendAll(commands, (at, result) => {
          done = at + 1;
          reads[at]!.resolve(result);
        });
      });
    } catch (err) {
      // All reads were done before the connection was lost.
      if (done === reads.length) return;
      const [failed, ...behind] = reads.slice(done) as [Read, ...Read[]];
      const elapsedMs = performance.now() - startedAt;
      // Reading again is harmless, so a dead connection is not worth an error.
      const mayRetry = err instanceof ConnectionLost && lossesLeft > 0;
      if (mayRetry && elapsedMs < this.#times.retryUntilMs) {
        return this.#sendBatch([failed, ...behind], startedAt, lossesLeft - 1);
      }
      failed.reject(err);
      const isTimeLeft = isSent && elapsedMs < this.#times.workMs;
      if (!isTimeLeft) for (const read of behind) read.reject(err);
      else await Promise.all(behind.map((read) => this.#sendBatch([read], startedAt, 0)));
    }
  }
}

/**
 * Lists of one tick that ask for the same are one statement. It is sent after all of them have asked, so none of them
 * gets older data than by itself. Each gets rows of its own: a caller may change the array.
 */
function mergeEqual(reads: readonly Read[]): Read[] {
  const keyOf = ({ command: { text, values } }: Read) => `${JSON.stringify(values)}${text}`;
  const alike = Map.groupBy(reads, keyOf);
  return Array.from(alike.values(), (equal) => ({
    ...equal[0]!,
    resolve: (result) => {
      for (const read of equal) read.resolve({ ...result, rows: [...result.rows] });
    },
    reject: (err) => {
      for (const read of equal) read.reject(err);
    },
  }));
}
