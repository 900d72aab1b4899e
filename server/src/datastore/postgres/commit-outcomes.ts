// What became of a commit: the server's answer or, if that is late or lost, what the markers of the commit say.
// The look-up also decides: it inserts a missing marker itself, so a commit that arrives later fails.

import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown } from '../failures.ts';
import { COMMIT, type Command, type CommandResult, checkCommitted } from './command-batch.ts';
import { type CommitMarker, findMarkers, insertMarker } from './commit-markers.ts';
import { ConnectionLost } from './failures.ts';
import type { Acquired, PostgresPool } from './pool.ts';

interface SentCommit {
  /** Of the connection over which the commit was sent. */
  acquired: Acquired;
  markers: readonly CommitMarker[];
  /** A reading of performance.now(): until when the outcome is waited for. */
  deadline: number;
}

/** What the marker of a unit says. A unit that is not committed never will be. */
interface FoundUnit {
  isCommitted: boolean;
  /** Of a single statement. */
  result: number | undefined;
}

type CommitOutcome<T> = { answer: T } | { found: FoundUnit[] };

const FIND_AGAIN_MS = 50;

export class CommitOutcomes {
  readonly #pool: PostgresPool;

  /** The pool serves nothing else: other work that waits for locks must not keep an outcome from being looked up. */
  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /**
   * Waits for the answer to a commit. From the deadline of its connection on, or once the connection is lost, it also looks up
   * the markers; whichever is known first counts. Throws OutcomeUnknown if neither is known in time.
   */
  settle<T>(answer: Promise<T>, commit: SentCommit): Promise<CommitOutcome<T>> {
    const { acquired, markers, deadline } = commit;
    return new Promise((resolve, reject) => {
      let isLookedUp = false;
      const lookUp = () => {
        if (isLookedUp) return;
        isLookedUp = true;
        // Its next user must not get the late answer.
        acquired.connection.isLost = true;
        this.#find(markers, deadline).then(
          (found) => resolve({ found }),
          (err) => reject(new OutcomeUnknown(err)),
        );
      };
      acquired.onDeadline(lookUp);
      answer.then(
        (value) => resolve({ answer: value }),
        // A commit that fails after the look-up began may have failed because of it. Either way nothing was committed.
        (err) => {
          if (err instanceof ConnectionLost) return lookUp();
          // The ROLLBACK that follows must end too.
          acquired.onDeadline(acquired.destroy);
          reject(isLookedUp ? new ConnectionLost(err) : err);
        },
      );
    });
  }

  /**
   * Commits a transaction. `send` sends what is left of it together with `end`: its marker and COMMIT. Throws
   * ConnectionLost if the connection was lost and nothing was committed.
   */
  async commit(
    { acquired, deadline }: Omit<SentCommit, 'markers'>,
    send: (end: readonly Command[]) => Promise<CommandResult>,
  ): Promise<void> {
    const { connection } = acquired;
    const marker = connection.nextMarker();
    const insert = insertMarker(marker, connection.obsoleteFrom, Date.now());
    const answer = send([insert, COMMIT]).then(checkCommitted);
    const outcome = await this.settle(answer, { acquired, markers: [marker], deadline });
    if ('answer' in outcome) connection.obsoleteFrom = marker.unit;
    else if (!outcome.found[0]!.isCommitted)
      throw new ConnectionLost('the commit did not take place');
  }

  /** Asks until there is an answer or no time is left. */
  async #find(markers: readonly CommitMarker[], deadline: number): Promise<FoundUnit[]> {
    for (;;) {
      try {
        const find = findMarkers(markers, Date.now());
        const { rows } = await this.#pool.use(deadline, (connection) => connection.send([find]));
        const found = new Map(
          (rows as [number, number, number | null][]).map(([unit, isCommitted, result]) => {
            return [unit, { isCommitted: isCommitted === 1, result: result ?? undefined }];
          }),
        );
        return markers.map(({ unit }) => found.get(unit)!);
      } catch (err) {
        if (performance.now() + FIND_AGAIN_MS >= deadline) throw err;
      }
      await pause(randomInt(FIND_AGAIN_MS));
    }
  }
}
