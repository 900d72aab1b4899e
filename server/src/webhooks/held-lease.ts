// A webhook that one worker holds. Every save checks the lease. If another node has it, what this worker knows is
// discarded. If the owner has changed the webhook, only the cursor may be saved.

import { setTimeout as pause } from 'node:timers/promises';
import type { Datastore, Transaction } from '../datastore/datastore.ts';
import { OutcomeUnknown, StorageUnavailable } from '../datastore/failures.ts';
import {
  type AttemptRecord,
  type Failure,
  type Judgement,
  judgedAt,
  type WebhookHealth,
} from '../domain/delivery.ts';
import { type EventRecord, isAboutWebhooks, type NewEvent } from '../domain/event.ts';
import { eventId } from '../domain/event-cursor.ts';
import {
  LEASE_MS,
  type SealedSecrets,
  type WebhookLease,
  type WebhookRecord,
} from '../domain/webhook.ts';
import type { Clock } from '../lib/clock.ts';

/** What deliveries change of a webhook. */
interface DeliveryState {
  cursor: number;
  batchLast?: number;
  isVerified: boolean;
  health: WebhookHealth;
}

interface Saving {
  /** Whether others may take the webhook now. */
  isReleased: boolean;
  retryInMs?: number;
  /** When to look at it again at the latest; with the next event if absent. */
  dueInMs?: number;
  /** What belongs to the move of the cursor, in the same transaction. */
  alsoWithCursor?: (tx: Transaction) => Promise<void>;
  /** What belongs to the change of the state, in the same transaction. */
  alsoWithState?: (tx: Transaction) => Promise<void>;
}

interface RetryPlan {
  /** Until the next attempt. */
  waitMs: number;
  reason: string;
  isSilent: boolean;
}

interface Rejection {
  attempts: number;
  failure: Failure;
}

/** A request takes 15 s at the most; what is left of the lease must be more than that. */
const LEASE_LEFT_MIN_MS = 20_000;
const SAVE_AGAIN_MS = 250;

export class HeldLease {
  state: DeliveryState;
  /** Set when nothing more may be sent or saved. */
  isLost = false;
  readonly #lease: WebhookLease;
  readonly #store: Datastore;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** When the lease was taken or renewed, after the start. */
  #renewedMs = 0;
  #savedMs = 0;
  #attempts: Omit<AttemptRecord, 'id'>[] = [];

  constructor(lease: WebhookLease, store: Datastore, clock: Clock) {
    this.#lease = lease;
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = clock.now();
    const { cursor, batchLast, isVerified } = lease.webhook;
    const health = healthOf(lease.webhook);
    this.state = {
      cursor,
      isVerified,
      health,
      ...(batchLast === undefined ? {} : { batchLast }),
    };
  }

  get webhook(): WebhookRecord {
    return this.#lease.webhook;
  }

  /** Whether the next request carries one event by itself. A retry of such a request does, whatever `batchMax` is now. */
  get isSingle(): boolean {
    const { batchLast, health } = this.state;
    return batchLast === undefined && (this.webhook.batchMax === 1 || health.failures > 0);
  }

  get secrets(): SealedSecrets {
    return this.#lease.secrets;
  }

  get sinceSaveMs(): number {
    return this.elapsedMs - this.#savedMs;
  }

  get elapsedMs(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** The instant by the clock that leases are measured with. */
  now(): number {
    return this.#lease.now + this.elapsedMs;
  }

  /** Whether there is time for a whole request. A process that was stopped and continued finds that there is none. */
  get canSend(): boolean {
    return !this.isLost && this.#leftMs >= LEASE_LEFT_MIN_MS;
  }

  get #leftMs(): number {
    return LEASE_MS - (this.elapsedMs - this.#renewedMs);
  }

  addAttempt(attempt: Omit<AttemptRecord, 'id'>): void {
    this.#attempts.push(attempt);
  }

  /**
   * Saves the state and the attempts made since the last time, and renews the lease unless it is released. While storage
   * is unreachable it tries again until the lease ends.
   */
  async save(saving: Saving): Promise<void> {
    const { isReleased, retryInMs = 0, dueInMs } = saving;
    const renewedMs = this.elapsedMs;
    const attempts = this.#attempts;
    this.#attempts = [];
    const progress = { ...this.state, retryInMs, dueInMs, isReleased };
    // If it fails, the cursor must not be saved later without what belongs to its move.
    this.isLost = true;
    const isSaved = await this.#persist(async (tx) => {
      const isOurs = await tx.deliveries.save(this.#lease, progress, this.#clock.now());
      // The owner has changed it: what was delivered stays delivered, and what was tried is still worth knowing.
      const isMoved =
        isOurs || (await tx.deliveries.saveCursor(this.#lease, progress, this.#clock.now()));
      if (!isMoved && !(await tx.deliveries.release(this.#lease, this.#clock.now()))) return false;
      await tx.deliveries.addAttempts(this.webhook, attempts);
      if (isMoved) await saving.alsoWithCursor?.(tx);
      if (isOurs) await saving.alsoWithState?.(tx);
      return isOurs;
    });
    if (!isSaved || isReleased) return;
    this.isLost = false;
    this.#renewedMs = renewedMs;
    this.#savedMs = this.elapsedMs;
  }

  /** Saves the health after a failure, emits the event about it unless that is to be left out, and releases the lease. */
  async saveJudgement({ health, event }: Judgement, { waitMs, reason, isSilent }: RetryPlan) {
    const { state: before } = this.state.health;
    this.state.health = health;
    const nextJudgement = (judgedAt(health) ?? Number.POSITIVE_INFINITY) - this.now();
    const data = { reason: health.stateReason ?? reason };
    await this.save({
      isReleased: true,
      retryInMs: waitMs,
      dueInMs: Math.max(0, Math.min(waitMs, nextJudgement)),
      alsoWithState: async (tx) => {
        if (event && !isSilent) await this.#emitAboutWebhook(tx, [{ type: event, data }]);
        if (event === 'webhook.disabled') await this.#auditEnd(tx, before);
      },
    });
  }

  /** The audit log names the service: no one asked for it. */
  async #auditEnd(tx: Transaction, before: WebhookHealth['state']): Promise<void> {
    const { workspaceId, id } = this.webhook;
    const { state, stateReason } = this.state.health;
    await tx.auditLog.add({
      workspaceId,
      at: this.now(),
      action: 'webhook.updated',
      actor: { type: 'service' },
      target: `webhook:${id}`,
      before: { state: before },
      after: { state, stateReason },
    });
  }

  /**
   * Saves that the receiver takes what follows these events and not them, and emits an event about each. The cursor is
   * behind them already.
   */
  async park(records: readonly EventRecord[], { attempts, failure }: Rejection): Promise<void> {
    const { status, outcome } = failure;
    const parked = { attempts, parkedAt: this.now(), ...(status === undefined ? {} : { status }) };
    const events = records
      .filter((record) => !isAboutWebhooks(record))
      .map((record) => ({
        type: 'webhook.parked' as const,
        data: { reason: outcome, eventId: eventId(record) },
      }));
    await this.save({
      isReleased: false,
      alsoWithCursor: async (tx) => {
        for (const { sequence } of records)
          await tx.deliveries.park(this.webhook, { sequence, ...parked });
        await this.#emitAboutWebhook(tx, events);
      },
    });
  }

  /** Gives the lease back with what was delivered. When it is due, and what is known of its failures, stays as it was. */
  async release(): Promise<void> {
    this.isLost = true;
    const attempts = this.#attempts;
    await this.#persist(async (tx) => {
      const isMoved = await tx.deliveries.saveCursor(this.#lease, this.state, this.#clock.now());
      if (!isMoved && !(await tx.deliveries.release(this.#lease, this.#clock.now()))) return false;
      await tx.deliveries.addAttempts(this.webhook, attempts);
      return true;
    });
  }

  /** Emits events about this webhook, which show it as the transaction has saved it. */
  async #emitAboutWebhook(
    tx: Transaction,
    events: readonly Pick<NewEvent, 'type' | 'data'>[],
  ): Promise<void> {
    if (events.length === 0) return;
    const { id, workspaceId } = this.webhook;
    const saved = (await tx.webhooks.find(workspaceId, id))!;
    const at = this.now();
    const webhook = await tx.webhooks.statusOf(saved, at);
    const emitted = events.map(({ type, data }) => ({ type, at, data: { webhook, ...data } }));
    await tx.events.append(workspaceId, emitted);
  }

  /**
   * True when the work was done. Work whose outcome is unknown is not repeated, as it could add attempts and events twice:
   * the lease is given back, and the next worker continues from what was saved.
   */
  async #persist(work: (tx: Transaction) => Promise<boolean>): Promise<boolean> {
    for (let isUnknown = false; ; ) {
      try {
        if (!isUnknown) return await this.#store.transact(work);
        await this.#store.transact((tx) => tx.deliveries.release(this.#lease, this.#clock.now()));
        return false;
      } catch (err) {
        if (!(err instanceof StorageUnavailable) || this.#leftMs < 0) throw err;
        isUnknown ||= err instanceof OutcomeUnknown;
        await pause(SAVE_AGAIN_MS);
      }
    }
  }
}

function healthOf({ state, stateReason, failures, rejections, failingSince }: WebhookRecord) {
  return {
    state,
    failures,
    rejections,
    ...(stateReason === undefined ? {} : { stateReason }),
    ...(failingSince === undefined ? {} : { failingSince }),
  };
}
