// Runs a write in one transaction with, if the request carries an Idempotency-Key, the response that is stored
// under it: both are committed or neither is. Every change made through the API is made here.

import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { type Datastore, dryRun, type Transaction } from '../datastore/datastore.ts';
import { Claim } from '../datastore/idempotency.ts';
import { Refusal } from '../domain/errors.ts';
import type { NewCookie, Operation } from '../operations/operation.ts';
import type { ChangeLog } from '../services/cluster/change-log.ts';
import type { EventHub } from '../services/events/event-hub.ts';
import { within } from '../telemetry/tracing.ts';
import type { ReadCache } from './read-cache.ts';
import { errorResponse } from './response/error-response.ts';
import type { HttpResponse } from './response/headers.ts';

interface Write {
  operation: Operation;
  /** May run more than once; what the last run returns is stored and sent. */
  run: (tx: Transaction) => Promise<WriteResult>;
  workspaceId: number;
  /** Anonymous callers have no workspace, so their Idempotency-Keys are kept apart by address. */
  keyPrefix: string;
  now: number;
  /** Runs once the write is committed. */
  afterCommit?: (() => void | Promise<void>) | undefined;
}

interface WriteResult {
  response: HttpResponse;
  /** The response without what must not be stored, if that is less than all of it. */
  stored?: HttpResponse | undefined;
  cookie?: NewCookie | undefined;
}

/** Work that no transaction can undo. */
type Action = Pick<Write, 'operation' | 'workspaceId' | 'now'> & {
  run: () => Promise<HttpResponse>;
};

interface WriterOptions {
  store: Datastore;
  changes: ChangeLog;
  readCache: ReadCache | undefined;
  hub: EventHub;
  /** Throws while the clock of this node is wrong: the rows of a write would have a time that others go on from. */
  refuseWrongClock: () => void;
  /** Called with what is thrown after a write is committed: the write is acknowledged all the same. */
  onFailure: (err: unknown) => void;
}

const STORED_STATUSES = new Set([404, 409, 412]);
const REPLAYED = 'idempotency-replayed';
const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

export class Writer {
  readonly #store: Datastore;
  readonly #changes: ChangeLog;
  readonly #readCache: ReadCache | undefined;
  readonly #hub: EventHub;
  readonly #onFailure: (err: unknown) => void;
  readonly #refuseWrongClock: () => void;
  readonly #running = new Set<string>();

  constructor({ store, changes, readCache, hub, refuseWrongClock, onFailure }: WriterOptions) {
    this.#refuseWrongClock = refuseWrongClock;
    this.#hub = hub;
    this.#onFailure = onFailure;
    this.#store = store;
    this.#changes = changes;
    this.#readCache = readCache;
  }

  async write(request: FastifyRequest, write: Write): Promise<WriteResult> {
    this.#refuseWrongClock();
    let result: WriteResult;
    try {
      const { span } = request.state;
      result = await within(span, 'storage write', () => this.#write(request, write));
    } finally {
      await this.#afterCommit(() => this.#dropCached(write));
      await this.#afterCommit(() => this.#hub.notify(write.workspaceId));
    }
    await this.#afterCommit(() => write.afterCommit?.());
    return result;
  }

  /** What is committed stays committed, so a failure here is no failure of the write. */
  async #afterCommit(run: () => void | Promise<void>): Promise<void> {
    try {
      await run();
    } catch (err) {
      this.#onFailure(err);
    }
  }

  /** Runs a write and keeps nothing: no change, no event, no stored response. Its Idempotency-Key stays free. */
  async dryRun(
    request: FastifyRequest,
    { workspaceId, run }: { workspaceId: number; run: (tx: Transaction) => Promise<HttpResponse> },
  ): Promise<HttpResponse> {
    // A malformed Idempotency-Key is refused here too.
    idempotencyKeyOf(request);
    return dryRun(this.#store, run, { workspaceId });
  }

  /**
   * Runs work that cannot be undone, then stores its response. If storing it fails, the response is sent all the same, and a
   * retry runs the work again.
   */
  async act(request: FastifyRequest, action: Action): Promise<HttpResponse> {
    this.#refuseWrongClock();
    try {
      const key = idempotencyKeyOf(request);
      if (key === undefined) return await action.run();
      const { response } = await this.#alone(request, `${action.workspaceId} ${key}`, () =>
        this.#actOnce(request, action, key),
      );
      return response;
    } finally {
      await this.#dropCached(action);
    }
  }

  /** Drops what a write may have made stale, before it is acknowledged. A write that failed may have been committed. */
  async #dropCached({ operation, workspaceId }: Pick<Write, 'operation' | 'workspaceId'>) {
    this.#readCache?.noteChange(workspaceId);
    // Only these change keys, sessions, plans, limits and webhooks.
    const { scope, session } = operation;
    if (scope === 'manage' || scope === 'operate' || session) await this.#changes.catchUp();
  }

  async #write(request: FastifyRequest, write: Write): Promise<WriteResult> {
    const key = idempotencyKeyOf(request);
    const { workspaceId } = write;
    if (key === undefined) return this.#store.transact(write.run, { workspaceId });
    const owned = `${write.keyPrefix}${key}`;
    return this.#alone(request, `${write.workspaceId} ${owned}`, () =>
      this.#writeOnce(request, write, owned),
    );
  }

  /** Refuses a request while another with the same Idempotency-Key runs on this node. */
  async #alone(
    { state }: FastifyRequest,
    name: string,
    run: () => Promise<WriteResult>,
  ): Promise<WriteResult> {
    if (this.#running.has(name)) throw new Refusal('idempotency_in_progress');
    this.#running.add(name);
    try {
      const result = await run();
      state.errorCode = errorCodeIn(result.response);
      state.isReplay = REPLAYED in result.response.headers;
      return result;
    } finally {
      this.#running.delete(name);
    }
  }

  async #actOnce(request: FastifyRequest, action: Action, key: string): Promise<WriteResult> {
    const { workspaceId, now } = action;
    const fingerprint = fingerprintOf(request);
    const stored = await this.#store.transact((tx) =>
      tx.idempotency.find(workspaceId, key, { fingerprint, now }),
    );
    if (stored === 'reused') throw new Refusal('idempotency_key_reused');
    if (stored) return { response: replayOf(stored) };
    const run = async () => ({ response: await action.run() });
    const result = await resultToStore(run, request.id);
    await this.#afterCommit(() =>
      this.#store.transact(async (tx) => {
        const claim = await tx.idempotency.claim(workspaceId, key, fingerprint, now);
        if (claim instanceof Claim) await claim.store(result.response);
      }),
    );
    return result;
  }

  #writeOnce(request: FastifyRequest, write: Write, key: string): Promise<WriteResult> {
    const { workspaceId, now } = write;
    return this.#store.transact(
      async (tx) => {
        const claim = await tx.idempotency.claim(workspaceId, key, fingerprintOf(request), now);
        if (claim === 'reused') throw new Refusal('idempotency_key_reused');
        if (!(claim instanceof Claim)) return { response: replayOf(claim) };
        const result = await resultToStore(() => tx.attempt(() => write.run(tx)), request.id);
        await claim.store(result.stored ?? result.response);
        return result;
      },
      { workspaceId },
    );
  }
}

/** Returns the result to store. A refusal by the operation becomes one; any other error is thrown. */
async function resultToStore(
  run: () => Promise<WriteResult>,
  requestId: string,
): Promise<WriteResult> {
  try {
    return await run();
  } catch (err) {
    if (!(err instanceof Refusal) || !STORED_STATUSES.has(err.status)) throw err;
    return { response: errorResponse(err, requestId) };
  }
}

function idempotencyKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY_SHAPE.test(key))) return key;
  throw new Refusal('invalid_request', {
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  });
}

/** A refusal that is stored, or replayed, is no error to the code around it, so its code is in its body alone. */
function errorCodeIn({ status, body }: HttpResponse): string | undefined {
  return status < 400 ? undefined : (JSON.parse(body) as { code: string }).code;
}

function replayOf(stored: HttpResponse): HttpResponse {
  return { ...stored, headers: { ...stored.headers, [REPLAYED]: 'true' } };
}

/** Two requests are the same if their method, URL and the bytes of their body are. */
function fingerprintOf(request: FastifyRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.raw.url}\n`)
    .update((request.body as { bytes?: Buffer } | undefined)?.bytes ?? '')
    .digest('base64url');
}
