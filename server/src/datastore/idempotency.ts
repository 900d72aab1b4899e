import { Conflict } from './failures.ts';
import { type Runner, statement } from './runner.ts';

type StoredRow = readonly [fingerprint: string, status: number, headers: string, body: string];

const PENDING = 0;
const claim = statement<readonly [number]>(
  `INSERT INTO idempotency (workspace_id, key, fingerprint, status, headers, body, created_at)
   VALUES ($1, $2, $3, ${PENDING}, '', '', $4)
   ON CONFLICT (workspace_id, key) DO UPDATE
     SET fingerprint = $3, status = ${PENDING}, headers = '', body = '', created_at = $4
     WHERE idempotency.created_at <= $5
   RETURNING status`,
);
const find = statement<StoredRow>(
  'SELECT fingerprint, status, headers, body FROM idempotency WHERE workspace_id = $1 AND key = $2',
);
const store = statement(
  `UPDATE idempotency SET status = $3, headers = $4, body = $5
   WHERE workspace_id = $1 AND key = $2`,
);
const forget = statement('DELETE FROM idempotency WHERE created_at <= $1');

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Answers are kept this long for repetitions of their request. */
const KEPT_MS = 24 * 3_600_000;

export class IdempotencyWriter {
  readonly #runner: Runner;
  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /**
   * Takes the key for this request, or tells what was answered under it. A row that is claimed and not
   * yet answered is never seen by others: claim and answer commit together.
   */
  async claim(
    workspaceId: number,
    key: string,
    fingerprint: string,
    now: number,
  ): Promise<'claimed' | 'reused' | StoredAnswer> {
    const values = [workspaceId, key, fingerprint, now, now - KEPT_MS];
    if (await this.#runner.row(claim, values)) return 'claimed';
    const row = await this.#runner.row(find, [workspaceId, key]);
    if (!row) throw new Conflict('the answer grew too old between claim and look-up');
    const [stored, status, headers, body] = row;
    if (stored !== fingerprint) return 'reused';
    return { status, headers: JSON.parse(headers) as Record<string, string>, body };
  }

  async store(workspaceId: number, key: string, answer: StoredAnswer): Promise<void> {
    const { status, headers, body } = answer;
    await this.#runner.run(store, [workspaceId, key, status, JSON.stringify(headers), body]);
  }

  /** Throws away what is too old to be repeated. */
  async forgetOld(now: number): Promise<number> {
    return this.#runner.run(forget, [now - KEPT_MS]);
  }
}
