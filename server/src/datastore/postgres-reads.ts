// Reads of one turn of the event loop travel together: a round trip costs this process and the server more
// than the rows do. Each read that was sent with others is sent once more by itself when one of them fails, so
// that nobody gets another's error.

import { StorageUnavailable } from './failures.ts';
import type { Command, Outcome } from './postgres-connection.ts';
import { ConnectionLost } from './postgres-failures.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { touchedRows } from './postgres-transaction.ts';
import type { Row, Runner, Statement, Value } from './runner.ts';

/** A slow read holds up those behind it, so a crowd is spread over several connections. */
const TOGETHER_MAX = 8;

interface Read {
  command: Command;
  resolve: (outcome: Outcome) => void;
  reject: (err: unknown) => void;
}

export interface ReadTimes {
  /** How long a statement may take before its connection is cut. */
  workMs: number;
  /** Until when one that failed is sent once more. */
  repeatUntilMs: number;
}

export class PostgresReads implements Runner {
  readonly engine = 'postgres';
  readonly #pool: PostgresPool;
  readonly #times: ReadTimes;
  #waiting: Read[] = [];

  constructor(pool: PostgresPool, times: ReadTimes) {
    this.#pool = pool;
    this.#times = times;
  }

  async row<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values)).rows[0] as R | undefined;
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly Value[]) {
    return (await this.#send(statement, values)).rows as unknown as R[];
  }

  async run(statement: Statement, values: readonly Value[]) {
    return touchedRows(await this.#send(statement, values));
  }

  #send({ text }: Statement, values: readonly Value[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.push({ command: { text, values }, resolve, reject });
      if (waiting === 1) setImmediate(this.#sendWaiting);
    });
  }

  readonly #sendWaiting = (): void => {
    const reads = this.#waiting;
    this.#waiting = [];
    const startedAt = performance.now();
    for (let at = 0; at < reads.length; at += TOGETHER_MAX) {
      void this.#sendTogether(reads.slice(at, at + TOGETHER_MAX), startedAt);
    }
  };

  async #sendTogether(reads: readonly Read[], startedAt: number): Promise<void> {
    try {
      const outcomes = await this.#sendTwice(
        reads.map(({ command }) => command),
        startedAt,
      );
      for (const [at, { resolve }] of reads.entries()) resolve(outcomes[at]!);
    } catch (err) {
      const isOnesFault = !(err instanceof StorageUnavailable) && reads.length > 1;
      if (isOnesFault) for (const read of reads) void this.#sendTogether([read], startedAt);
      else for (const { reject } of reads) reject(err);
    }
  }

  /** Reading again is harmless, so one connection that turns out to be dead is not worth an error. */
  async #sendTwice(commands: readonly Command[], startedAt: number): Promise<Outcome[]> {
    const { workMs, repeatUntilMs } = this.#times;
    const send = () =>
      this.#pool.use(startedAt + workMs, (connection) => connection.sendAll(commands));
    try {
      return await send();
    } catch (err) {
      const isTimeLeft = performance.now() < startedAt + repeatUntilMs;
      if (!(err instanceof ConnectionLost) || !isTimeLeft) throw err;
      return await send();
    }
  }
}
