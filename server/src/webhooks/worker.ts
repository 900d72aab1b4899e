// Delivers for one webhook while it holds the lease: one request at a time, strictly in the order of the feed. The cursor
// is saved after a delivery, never before: a crash repeats, it never skips. While there is a backlog it is saved once a
// second.

import { setImmediate } from 'node:timers/promises';
import type { Datastore } from '../datastore/datastore.ts';
import { StorageUnavailable } from '../datastore/failures.ts';
import {
  afterFailure,
  afterSuccess,
  disable,
  type Failure,
  isPoisonSuspected,
  type Judgement,
  judge,
  RETRY_MAX_MS,
  requestedWaitMs,
  retryInMs,
  type StateReason,
  type WebhookHealth,
} from '../domain/delivery.ts';
import { isAboutWebhooks } from '../domain/event.ts';
import { PARKED_MAX, type WebhookLease } from '../domain/webhook.ts';
import type { Clock } from '../lib/clock.ts';
import { BatchReader, type EventBatch, type ReadEvents } from './batch-reader.ts';
import { HeldLease } from './held-lease.ts';
import type { Agents } from './sender.ts';
import {
  type DeliveryResult,
  type Message,
  pingMessage,
  type SigningSender,
  type Verification,
} from './signing-sender.ts';
import type { TokenBucket } from './token-bucket.ts';

export interface WorkerOptions {
  store: Datastore;
  readEvents: ReadEvents;
  sender: SigningSender;
  clock: Clock;
  verification: Verification;
  /** From 0 up to 1. */
  random: () => number;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What is kept for a webhook from one worker to the next. */
export interface Channel {
  agents: Agents;
  bucket: TokenBucket;
}

/** After this long the worker releases its lease, so that other webhooks get a worker. */
const TURN_MS = 10_000;
const SAVE_EVERY_MS = 1_000;
/** A receiver that takes longer to answer may hang. */
const SLOW_MS = 1_000;
/** When a webhook that wanted none of the new events is due again. A busy feed must not cost a write for each event. */
const NONE_WANTED_MS = 500;

export class Worker {
  readonly #held: HeldLease;
  readonly #channel: Channel;
  readonly #options: WorkerOptions;
  readonly #reader: BatchReader;
  readonly #stopping = new AbortController();
  /** What the receiver was last asked to take. */
  #head: EventBatch | undefined;
  #deliveries = 0;
  /** Of the request under way, by the monotonic clock. */
  #sentAtMs: number | undefined;

  constructor(lease: WebhookLease, channel: Channel, options: WorkerOptions) {
    this.#held = new HeldLease(lease, options.store, options.clock);
    this.#channel = channel;
    this.#options = options;
    this.#reader = new BatchReader(options.readEvents);
  }

  /** Whether its receiver has not answered for a while. */
  get isKeptWaiting(): boolean {
    return this.#sentAtMs !== undefined && performance.now() - this.#sentAtMs >= SLOW_MS;
  }

  /** Lets it finish the request under way and no other. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Cuts off the request under way, as if it had not been sent. `run` then saves what was delivered before it. */
  abandon(): void {
    this.stop();
    this.#channel.agents.close();
  }

  /** Rejects when storage stays away or anything else is wrong. A failed read gives the lease back. */
  async run(): Promise<void> {
    try {
      await this.#run();
    } catch (err) {
      if (err instanceof StorageUnavailable && !this.#held.isLost) await this.#held.release();
      throw err;
    }
  }

  async #run(): Promise<void> {
    const { webhook, state } = this.#held;
    const waitMs = (webhook.retryAt ?? 0) - this.#held.now();
    // A retry that is further away than any retry can be means that the clock was set back: deliver now.
    const isWaiting = webhook.failures > 0 && waitMs > 0 && waitMs <= RETRY_MAX_MS;
    if (isWaiting) return this.#judge();
    if (state.health.state === 'unverified') return this.#verify();
    while (await this.#deliverNext()) {
      if (this.#held.sinceSaveMs >= SAVE_EVERY_MS) await this.#save();
    }
    if (this.#held.isLost) return;
    if (this.#isTurnOver) return this.#held.save({ isReleased: true, dueInMs: 0 });
    const isNoneWanted = this.#deliveries === 0 && state.cursor > webhook.cursor;
    await this.#held.save({
      isReleased: true,
      ...(isNoneWanted ? { dueInMs: NONE_WANTED_MS } : {}),
    });
  }

  /** A webhook may become failing or disabled between two retries. */
  async #judge(): Promise<void> {
    const { webhook, state } = this.#held;
    const judgement = judge(state.health, this.#held.now());
    const newest = { sort: '-id', limit: 1 } as const;
    const { items } = await this.#options.store.read.deliveries.attempts(
      webhook,
      undefined,
      newest,
    );
    const found = await this.#findNext();
    if (found.kind === 'batch') this.#head = found.batch;
    const waitMs = Math.max(0, (webhook.retryAt ?? 0) - this.#held.now());
    await this.#saveJudgement(judgement, waitMs, items[0]?.outcome ?? 'connection');
  }

  async #verify(): Promise<void> {
    const { webhook, state } = this.#held;
    const ping = pingMessage(webhook.id, this.#held.now(), this.#options.verification);
    const message = { ...ping, isVerification: true };
    const result = await this.#send(message, state.health.failures + 1);
    if (!result) return this.#held.isLost ? undefined : this.#held.release();
    if (result.failure) return this.#fail(result.failure);
    state.isVerified = true;
    state.health = afterSuccess({ ...state.health, state: 'enabled' });
    await this.#held.save({ isReleased: true });
  }

  /** True when there may be more to do. */
  async #deliverNext(): Promise<boolean> {
    if (this.#isTurnOver) return false;
    const { state } = this.#held;
    const found = await this.#findNext();
    // Events were deleted before they were delivered. None is skipped silently: the owner decides where to continue.
    if (found.kind === 'expired') return this.#disable('failed');
    if (found.kind === 'nothing') {
      const isMoved = found.passed > state.cursor;
      state.cursor = found.passed;
      delete state.batchLast;
      // SQLite reads without waiting, so nothing else would run until the end of the backlog.
      if (isMoved) await setImmediate();
      return isMoved;
    }
    const { batch } = found;
    this.#head = batch;
    if (!batch.isFull && !this.#held.isSingle) await this.#pinBatch(batch);
    const result = await this.#send(batch.message, state.health.failures + 1);
    if (!result) return false;
    if (result.failure) return this.#handleFailure(batch, result.failure);
    this.#deliveries += 1;
    this.#advance(batch.passed);
    return true;
  }

  #findNext() {
    const { webhook, state, isSingle } = this.#held;
    const batchMax = isSingle ? 1 : webhook.batchMax;
    return this.#reader.find({ ...webhook, batchMax }, state.cursor, state.batchLast);
  }

  get #isTurnOver(): boolean {
    return !this.#canSend || this.#held.elapsedMs >= TURN_MS;
  }

  get #canSend(): boolean {
    return this.#held.canSend && !this.#stopping.signal.aborted;
  }

  /** What joins the feed before a retry must not join the batch. */
  async #pinBatch({ last }: EventBatch): Promise<void> {
    this.#held.state.batchLast = last;
    await this.#save();
  }

  /** Undefined when nothing was sent, or what was sent counts for nothing. */
  async #send(message: Message, attempt: number): Promise<DeliveryResult | undefined> {
    const { webhook, secrets } = this.#held;
    const { sender, sleep } = this.#options;
    for (;;) {
      const waitMs = this.#channel.bucket.take(webhook.perSecondMax, this.#options.clock.now());
      if (waitMs === 0) break;
      await sleep(waitMs, this.#stopping.signal);
      if (!this.#canSend) return undefined;
    }
    if (!this.#canSend) return undefined;
    const { agents } = this.#channel;
    const at = this.#held.now();
    this.#sentAtMs = performance.now();
    const result = await sender.deliver({ webhook, secrets, message, attempt, at, agents });
    this.#sentAtMs = undefined;
    const isCutOff = result.failure !== undefined && agents.isClosed;
    if (this.#held.isLost || isCutOff) return undefined;
    this.#held.addAttempt(result.attempt);
    return result;
  }

  #advance(cursor: number): void {
    const { state } = this.#held;
    state.cursor = cursor;
    state.health = afterSuccess(state.health);
    delete state.batchLast;
  }

  /** The batch was not delivered. If the receiver rejects it and accepts the next one, the batch is parked. */
  async #handleFailure(batch: EventBatch, failure: Failure): Promise<boolean> {
    const { webhook, state, isSingle } = this.#held;
    const judgement = afterFailure(state.health, failure, this.#held.now());
    const { health } = judgement;
    let waitMs = this.#retryInMs(health.failures, failure);
    if (health.state !== 'disabled' && isPoisonSuspected(health)) {
      const next = await this.#reader.find(webhook, batch.passed);
      const result = next.kind === 'batch' && (await this.#probe(next.batch));
      if (next.kind === 'batch' && result) {
        const cursor = next.batch.passed;
        if (!result.failure) return this.#park(batch, { health, failure, cursor });
        if (result.failure.status === 410) return this.#disable('gone', health);
        waitMs = Math.max(waitMs, requestedWaitMs(result.failure) ?? 0);
      }
    }
    if (this.#held.isLost) return false;
    // A retry carries the same events.
    if (!isSingle) state.batchLast = batch.last;
    await this.#saveJudgement(judgement, waitMs, failure.outcome);
    return false;
  }

  /** A receiver that rejects slowly leaves too little of the lease for another request, so it is renewed. */
  async #probe({ message }: EventBatch): Promise<DeliveryResult | undefined> {
    await this.#save();
    return this.#send(message, 1);
  }

  async #park(
    { records }: EventBatch,
    rejection: { health: WebhookHealth; failure: Failure; cursor: number },
  ) {
    const { health, failure, cursor } = rejection;
    const count = await this.#options.store.read.deliveries.countParked(this.#held.webhook);
    if (count + records.length > PARKED_MAX) return this.#disable('parked_full', health);
    this.#advance(cursor);
    this.#deliveries += 1;
    await this.#held.park(records, { attempts: health.failures, failure });
    return !this.#held.isLost;
  }

  async #fail(failure: Failure): Promise<void> {
    const judgement = afterFailure(this.#held.state.health, failure, this.#held.now());
    const waitMs = this.#retryInMs(judgement.health.failures, failure);
    await this.#saveJudgement(judgement, waitMs, failure.outcome);
  }

  async #disable(reason: StateReason, health = this.#held.state.health): Promise<boolean> {
    await this.#saveJudgement(disable(health, reason), 0, reason);
    return false;
  }

  #retryInMs(failures: number, failure: Failure): number {
    return retryInMs(failures, failure, this.#options.random());
  }

  async #saveJudgement(judgement: Judgement, waitMs: number, reason: string): Promise<void> {
    const { event } = judgement;
    const isSilent = event === 'webhook.failing' && !!this.#head?.records.every(isAboutWebhooks);
    await this.#held.saveJudgement(judgement, { waitMs, reason, isSilent });
  }

  #save(): Promise<void> {
    return this.#held.save({ isReleased: false });
  }
}
