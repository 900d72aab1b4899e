// Reads of one turn of the event loop travel together: a round trip costs this process and the server more
// than the rows do. Each is answered when it is done. When one fails, those behind it are sent once more, each by
// itself, so that nobody gets another's error.

import { type Coalescer, chunksOf } from '../../lib/coalescer.ts';
import type { Row, Runner, Statement, Value } from '../runner.ts';
import type { Command, Outcome } from './command.ts';
import { ConnectionLost } from './failures.ts';
import type { PostgresPool } from './pool.ts';
import { touchedRows } from './transaction.ts';

/** A slow read holds up those behind it, so a crowd is spread over several connections; looking up a row never is slow. */
const TOGETHER_MAX = 4;
const ROWS_TOGETHER_MAX = 16;
/** A server that was restarted leaves a whole pool of dead connections behind. */
const LOSSES_MAX = 10;

interface Read {
  command: Command;
  isOneRow: boolean;
  resolve: (outcome: Outcome) => void;
  reject: (err: unknown) => void;
}

export interface ReadTimes {
  /** How long reads may take before their connection is cut. */
  workMs: number;
  /** Until when a connection that turns out to be dead is replaced. */
  repeatUntilMs: number;
}

export class PostgresReads implements Runner {
  readonly engine = 'postgres';
  readonly #pool: PostgresPool;
  readonly #times: ReadTimes;
  readonly #sendSoon: (read: Read) => void;

  constructor(pool: PostgresPool, coalescer: Coalescer, times: ReadTimes) {
    this.#pool = pool;
    this.#times = times;
    this.#sendSoon = coalescer.batch((reads) => this.#sendTick(reads));
  }

  /** A row that is looked up by its key. */
  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values, true)).rows[0] as R | undefined;
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values, false)).rows as unknown as R[];
  }

  async run(statement: Statement, values: readonly Value[]) {
    return touchedRows(await this.#send(statement, values, false));
  }

  #send({ text }: Statement, values: readonly Value[], isOneRow: boolean): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#sendSoon({ command: { text, values }, isOneRow, resolve, reject });
    });
  }

  #sendTick(reads: readonly Read[]): void {
    const startedAt = performance.now();
    const single = reads.filter(({ isOneRow }) => isOneRow);
    const others = reads.filter(({ isOneRow }) => !isOneRow);
    const pieces = [...chunksOf(single, ROWS_TOGETHER_MAX), ...chunksOf(others, TOGETHER_MAX)];
    for (const piece of pieces) void this.#sendTogether(piece, startedAt, LOSSES_MAX);
  }

  async #sendTogether(
    reads: readonly Read[],
    startedAt: number,
    lossesLeft: number,
  ): Promise<void> {
    let done = 0;
    let isSent = false;
    try {
      await this.#pool.use(startedAt + this.#times.workMs, async (connection) => {
        isSent = true;
        const commands = reads.map(({ command }) => command);
        await connection.sendAll(commands, (at, outcome) => {
          done = at + 1;
          reads[at]!.resolve(outcome);
        });
      });
    } catch (err) {
      // All were answered before the connection was lost.
      if (done === reads.length) return;
      const [failed, ...behind] = reads.slice(done) as [Read, ...Read[]];
      const elapsedMs = performance.now() - startedAt;
      // Reading again is harmless, so a connection that turns out to be dead is not worth an error.
      const isAgain = err instanceof ConnectionLost && lossesLeft > 0;
      if (isAgain && elapsedMs < this.#times.repeatUntilMs) {
        return this.#sendTogether([failed, ...behind], startedAt, lossesLeft - 1);
      }
      failed.reject(err);
      const isTimeLeft = isSent && elapsedMs < this.#times.workMs;
      for (const read of behind) {
        if (isTimeLeft) void this.#sendTogether([read], startedAt, 0);
        else read.reject(err);
      }
    }
  }
}
