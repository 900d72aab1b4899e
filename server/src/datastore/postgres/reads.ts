// Reads of one tick travel together: a round trip costs this process and the server more than the rows do. Each is
// resolved when it is done. When one fails, those behind it are sent once more, each by itself, so that no read gets
// the error of another.

import { chunksOf } from '../../lib/chunks.ts';
import type { Coalescer } from '../../lib/coalescer.ts';
import type { Row, Runner, Statement, Value } from '../runner.ts';
import { type Command, type CommandResult, touchedRows } from './command-batch.ts';
import { ConnectionLost } from './failures.ts';
import type { PostgresPool } from './pool.ts';

/** A slow read delays those behind it, so lists are spread over several connections. Looking up a row is never slow. */
const LISTS_MAX = 4;
const ROWS_MAX = 16;
/** A server that was restarted leaves a whole pool of dead connections behind. */
const LOSSES_MAX = 10;

interface Read {
  command: Command;
  isOneRow: boolean;
  resolve: (result: CommandResult) => void;
  reject: (err: unknown) => void;
}

interface ReadTimes {
  /** How long reads may take before their connection is destroyed. */
  workMs: number;
  /** Until when reads are sent again whose connection turns out to be dead. */
  retryUntilMs: number;
}

export class PostgresReads implements Runner {
  readonly engine = 'postgres';
  readonly #pool: PostgresPool;
  readonly #times: ReadTimes;
  readonly #sendAtTickEnd: (read: Read) => void;

  constructor(pool: PostgresPool, coalescer: Coalescer, times: ReadTimes) {
    this.#pool = pool;
    this.#times = times;
    this.#sendAtTickEnd = coalescer.batch((reads) => this.#sendTick(reads));
  }

  /** A row that is looked up by its key. */
  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#read(statement, values, true)).rows[0] as R | undefined;
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#read(statement, values, false)).rows as unknown as R[];
  }

  async run(statement: Statement, values: readonly Value[]) {
    return touchedRows(await this.#read(statement, values, false));
  }

  async runLater(statement: Statement, values: readonly Value[]) {
    await this.run(statement, values);
  }

  runEach(): never {
    throw new Error('only a unit of work writes');
  }

  rowEach(): never {
    throw new Error('only a unit of work writes');
  }

  commitSingle(): never {
    throw new Error('only a unit of work commits');
  }

  guard(): never {
    throw new Error('only a unit of work has guards');
  }

  #read({ text }: Statement, values: readonly Value[], isOneRow: boolean): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      this.#sendAtTickEnd({ command: { text, values }, isOneRow, resolve, reject });
    });
  }

  #sendTick(reads: readonly Read[]): void {
    const startedAt = performance.now();
    const rows = reads.filter(({ isOneRow }) => isOneRow);
    const lists = mergeEqual(reads.filter(({ isOneRow }) => !isOneRow));
    const batches = [...chunksOf(rows, ROWS_MAX), ...chunksOf(lists, LISTS_MAX)];
    for (const batch of batches) void this.#sendBatch(batch, startedAt, LOSSES_MAX);
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
      for (const read of behind) {
        if (isTimeLeft) void this.#sendBatch([read], startedAt, 0);
        else read.reject(err);
      }
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
