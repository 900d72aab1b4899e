import { DAY_MS } from '../domain/durations.ts';
import { Conflict } from './failures.ts';
import { Reader, type Runner, statement, type Value } from './runner.ts';

type StoredRow = readonly [fingerprint: string, status: number, headers: string, body: string];

const CLAIM =
  'INSERT INTO idempotency (workspace_id, key, fingerprint, created_at) VALUES ($1, $2, $3, $4)';
const claimNew = statement(CLAIM);
const claimFreeOrOld = statement(
  `${CLAIM} ON CONFLICT (workspace_id, key) DO UPDATE
     SET fingerprint = $3, status = NULL, headers = NULL, body = NULL, created_at = $4
     WHERE idempotency.created_at <= $5`,
);
const isFree = (first: number) => `NOT EXISTS (
  SELECT 1 FROM idempotency WHERE workspace_id = $${first} AND key = $${first + 1})`;
const insert = statement(
  `INSERT INTO idempotency (workspace_id, key, fingerprint, created_at, status, headers, body)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);
const find = statement<StoredRow>(
  'SELECT fingerprint, status, headers, body FROM idempotency WHERE workspace_id = $1 AND key = $2',
);
const findKept = statement<StoredRow>(
  `SELECT fingerprint, status, headers, body FROM idempotency
   WHERE workspace_id = $1 AND key = $2 AND created_at > $3`,
);
const update = statement(
  `UPDATE idempotency SET status = $3, headers = $4, body = $5
   WHERE workspace_id = $1 AND key = $2`,
);

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** How long a response is kept for retries of its request. */
export const RESPONSES_KEPT_MS = DAY_MS;

/** An Idempotency-Key that this unit has claimed. The unit then calls `store` or throws. */
export class Claim {
  readonly #runner: Runner;
  readonly #values: readonly Value[];
  readonly #dropInsert: () => boolean;

  /** `dropInsert` returns whether the row is still to be inserted. */
  constructor(runner: Runner, values: readonly Value[], dropInsert: () => boolean) {
    this.#runner = runner;
    this.#values = values;
    this.#dropInsert = dropInsert;
  }

  /** To be called once, when the work is done. */
  async store({ status, headers, body }: StoredResponse): Promise<void> {
    const isNew = this.#dropInsert();
    const first = isNew ? this.#values : this.#values.slice(0, 2);
    const values = [...first, status, JSON.stringify(headers), body];
    const statement = isNew ? insert : update;
    await this.#runner.runLater(statement, values);
  }
}

export class IdempotencyWriter extends Reader {
  /** The response stored under the key, if any, without claiming it. */
  async find(
    workspaceId: number,
    key: string,
    { fingerprint, now }: { fingerprint: string; now: number },
  ): Promise<'reused' | StoredResponse | undefined> {
    const row = await this.runner.row(findKept, [workspaceId, key, now - RESPONSES_KEPT_MS]);
    return row && responseOf(row, fingerprint);
  }

  /**
   * Claims the key for this request, or returns the response stored under it. Others never see a claim without its
   * response: both commit together.
   */
  async claim(
    workspaceId: number,
    key: string,
    fingerprint: string,
    now: number,
  ): Promise<Claim | 'reused' | StoredResponse> {
    const values = [workspaceId, key, fingerprint, now];
    // A key is new nearly always.
    const dropInsert = await this.runner.guard({
      condition: isFree,
      values: [workspaceId, key],
      insert: { statement: claimNew, values },
    });
    if (dropInsert) return new Claim(this.runner, values, dropInsert);
    const claimed = await this.runner.run(claimFreeOrOld, [...values, now - RESPONSES_KEPT_MS]);
    if (claimed === 1) return new Claim(this.runner, values, () => false);
    const row = await this.runner.row(find, [workspaceId, key]);
    if (!row) throw new Conflict('the stored response expired between claim and read');
    return responseOf(row, fingerprint);
  }
}

function responseOf(
  [stored, status, headers, body]: StoredRow,
  fingerprint: string,
): 'reused' | StoredResponse {
  if (stored !== fingerprint) return 'reused';
  return { status, headers: JSON.parse(headers) as Record<string, string>, body };
}
