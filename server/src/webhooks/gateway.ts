// What the API needs of deliveries: a check of a URL, and requests that are sent now, beside the queue. They go through the
// same sender as every delivery, so a ping that arrives proves that deliveries arrive.

import type { Datastore } from '../datastore/datastore.ts';
import { type AttemptRecord, afterSuccess } from '../domain/delivery.ts';
import { MINUTE_MS } from '../domain/durations.ts';
import { invalidField, notFound, Refusal } from '../domain/errors.ts';
import type { EventRecord } from '../domain/event.ts';
import { eventId } from '../domain/event-cursor.ts';
import type { WebhookRecord } from '../domain/webhook.ts';
import type { Clock } from '../lib/clock.ts';
import { formatInstant } from '../lib/instant.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { type Agents, openAgents } from './sender.ts';
import {
  type DeliveryResult,
  type Message,
  pingMessage,
  type SigningSender,
  sealContext,
  type Verification,
} from './signing-sender.ts';
import { HostUnknown, TargetRefused, type Targets } from './target.ts';

interface GatewayOptions {
  store: Datastore;
  clock: Clock;
  targets: Targets;
  sender: SigningSender;
  box: SecretBox;
  verification: Verification;
}

const PINGS_PER_MINUTE = 10;
/** To one webhook at once: each holds a connection of its client while the receiver hangs. */
const REDELIVERIES_MAX = 10;
const RETRY_REDELIVERY_SECONDS = 5;
/** Name servers may be slow, and several of them are asked one after the other. */
const CHECK_URL_MS = 5_000;
/** How long requests may take once the service stops: the drain waits longer, so each of them is still answered. */
const STOP_MS = 4_000;

export class Gateway {
  readonly isVerifying: boolean;
  readonly #options: GatewayOptions;
  /** Pings under way on this node, by webhook: they are not among the attempts yet. */
  readonly #pinging = new Map<number, number>();
  /** Redeliveries under way on this node, by webhook. */
  readonly #redelivering = new Map<number, number>();
  /** Of the requests under way. */
  readonly #agents = new Set<Agents>();
  #isStopped = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.isVerifying = options.verification !== 'none';
  }

  async checkUrl(url: string): Promise<void> {
    const { targets } = this.#options;
    try {
      await inTime(targets.addressesOf(targets.parse(url)), CHECK_URL_MS);
    } catch (err) {
      if (err instanceof TargetRefused) throw invalidField('url', err.message);
      if (err instanceof HostUnknown) throw invalidField('url', 'names a host without addresses');
      throw invalidField('url', 'names a host that cannot be resolved at the moment');
    }
  }

  seal(secret: string, workspaceId: number): string {
    return this.#options.box.seal(secret, sealContext(workspaceId));
  }

  ping(webhook: WebhookRecord): Promise<AttemptRecord> {
    return counted(this.#pinging, webhook.id, async (pinging) => {
      await this.#refuseTooMany(webhook, pinging);
      return this.#ping(webhook);
    });
  }

  redeliver(webhook: WebhookRecord, event: EventRecord): Promise<AttemptRecord> {
    return counted(this.#redelivering, webhook.id, async (redelivering) => {
      if (redelivering > REDELIVERIES_MAX) throw tooManyRedeliveries(webhook.id);
      // An address that never answered a ping gets no event, however it is asked for.
      if (!webhook.isVerified || webhook.state === 'disabled') {
        throw new Refusal('webhook_not_enabled');
      }
      return this.#redeliver(webhook, event);
    });
  }

  /** Cuts off, after a few seconds, the requests that are still under way. Their outcome is `connection`. */
  stop(): void {
    setTimeout(() => {
      this.#isStopped = true;
      for (const agents of this.#agents) agents.close();
    }, STOP_MS).unref();
  }

  async #ping(webhook: WebhookRecord): Promise<AttemptRecord> {
    const { clock, verification } = this.#options;
    const message = pingMessage(webhook.id, clock.now(), verification);
    const { attempt, failure } = await this.#send(webhook, message);
    const added = await this.#keep(webhook, attempt);
    if (!failure && webhook.state === 'unverified') await this.#verify(webhook);
    return added;
  }

  async #redeliver(webhook: WebhookRecord, event: EventRecord): Promise<AttemptRecord> {
    const { sequence, text: body } = event;
    const range = { firstSequence: sequence, lastSequence: sequence };
    const { attempt, failure } = await this.#send(webhook, { id: eventId(event), body, ...range });
    return this.#keep(webhook, attempt, failure ? undefined : sequence);
  }

  async #send(webhook: WebhookRecord, message: Message): Promise<DeliveryResult> {
    const { store, sender, clock } = this.#options;
    const secrets = await store.read.webhooks.findSecrets(webhook);
    if (!secrets) throw notFound('webhook', webhook.id);
    if (this.#isStopped) throw new Refusal('unavailable', { message: 'The service is stopping.' });
    const agents = openAgents();
    this.#agents.add(agents);
    try {
      const at = clock.now();
      return await sender.deliver({ webhook, secrets, message, attempt: 1, at, agents });
    } finally {
      this.#agents.delete(agents);
      agents.close();
    }
  }

  /** Adds the attempt to those of the webhook, unless that was deleted meanwhile. */
  #keep(
    webhook: WebhookRecord,
    attempt: DeliveryResult['attempt'],
    delivered?: number,
  ): Promise<AttemptRecord> {
    const { workspaceId, id } = webhook;
    return this.#options.store.transact(async (tx) => {
      if (!(await tx.webhooks.findAndLock(workspaceId, id))) throw notFound('webhook', id);
      const [added] = await tx.deliveries.addAttempts(webhook, [attempt]);
      if (delivered !== undefined) await tx.deliveries.unpark(webhook, delivered);
      return added!;
    });
  }

  /** The URL that was pinged has answered. */
  async #verify({ workspaceId, id, revision }: WebhookRecord): Promise<void> {
    await this.#options.store.transact(async (tx) => {
      const webhook = await tx.webhooks.findAndLock(workspaceId, id);
      if (webhook?.state !== 'unverified' || webhook.revision !== revision) return;
      const { failingSince: _, ...rest } = webhook;
      const health = afterSuccess({ ...webhook, state: 'enabled' });
      await tx.webhooks.update({ ...rest, ...health, isVerified: true });
      await tx.webhooks.restart(webhook, this.#options.clock.now());
    });
  }

  async #refuseTooMany(webhook: WebhookRecord, pinging: number): Promise<void> {
    const now = this.#options.clock.now();
    const made = await this.#options.store.read.deliveries.countPings(webhook, now - MINUTE_MS);
    if (made + pinging <= PINGS_PER_MINUTE) return;
    throw new Refusal('rate_limit_exceeded', {
      message: `A webhook can be pinged ${PINGS_PER_MINUTE} times a minute.`,
      details: { limit: 'minute', until: formatInstant(now + MINUTE_MS) },
      retryAfterSeconds: MINUTE_MS / 1000,
      perMinute: PINGS_PER_MINUTE,
    });
  }
}

/** Runs work that is counted until it ends. It gets the number of those under way with the same id, itself included. */
async function counted<T>(
  underWay: Map<number, number>,
  id: number,
  work: (count: number) => Promise<T>,
): Promise<T> {
  const count = (underWay.get(id) ?? 0) + 1;
  underWay.set(id, count);
  try {
    return await work(count);
  } finally {
    const left = underWay.get(id)! - 1;
    if (left > 0) underWay.set(id, left);
    else underWay.delete(id);
  }
}

async function inTime<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, milliseconds, new Error(`no answer in ${milliseconds} ms`));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function tooManyRedeliveries(id: number): Refusal {
  return new Refusal('too_many_redeliveries', {
    message: `Webhook ${id} has ${REDELIVERIES_MAX} redeliveries under way, which is the most at once.`,
    details: { max: REDELIVERIES_MAX },
    retryAfterSeconds: RETRY_REDELIVERY_SECONDS,
  });
}
