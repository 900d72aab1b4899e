// A store, a receiver and workers under a clock that only the test moves. No dispatcher: the test decides when a worker
// runs, so days pass in milliseconds.

import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { migrateSqlite } from '../../src/datastore/sqlite/migrate.ts';
import { SqliteDatastore } from '../../src/datastore/sqlite/sqlite-datastore.ts';
import type { AttemptRecord } from '../../src/domain/delivery.ts';
import { type EventRecord, isAboutWebhooks, type NewEvent } from '../../src/domain/event.ts';
import type { WebhookLease, WebhookRecord } from '../../src/domain/webhook.ts';
import { Coalescer } from '../../src/lib/coalescer.ts';
import { SecretBox } from '../../src/lib/secret-box.ts';
import { newWebhookSecret, webhookSecretHint } from '../../src/lib/webhook-secret.ts';
import { readFeed } from '../../src/services/events/read-feed.ts';
import { openAgents, SEND_LIMITS, Sender } from '../../src/webhooks/sender.ts';
import { SigningSender, sealContext } from '../../src/webhooks/signing-sender.ts';
import { Targets } from '../../src/webhooks/target.ts';
import { TokenBucket } from '../../src/webhooks/token-bucket.ts';
import { type Channel, Worker, type WorkerOptions } from '../../src/webhooks/worker.ts';
import { shownEvent } from '../datastore/event-view.ts';
import { newWorkspace } from '../datastore/fixture.ts';
import { named } from '../datastore/suite-events.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A receiver that hangs does so until its test ends, also on a slow machine. */
const PATIENT = { ...SEND_LIMITS, totalMs: 300_000, connectMs: 300_000 };

export const START = Date.parse('2026-11-15T09:00:00Z');

export class DeliveryWorld {
  readonly store: Datastore;
  readonly box = new SecretBox([randomBytes(32)]);
  readonly secret = newWebhookSecret();
  readonly options: WorkerOptions;
  readonly #channels = new Map<number, Channel>();
  now = START;
  workspaceId = 0;
  /** Of a world on SQLite. */
  #file: string | undefined;

  static async open(overrides: Partial<WorkerOptions> = {}): Promise<DeliveryWorld> {
    const folder = temporaryFolder();
    const file = `${folder.path}/petstore.db`;
    migrateSqlite(file);
    const store = new SqliteDatastore(file, new Coalescer());
    onTestFinished(() => folder.remove());
    const world = await DeliveryWorld.over(store, overrides);
    world.#file = file;
    return world;
  }

  /** Closes the store when the test ends. */
  static async over(store: Datastore, overrides: Partial<WorkerOptions> = {}) {
    const world = new DeliveryWorld(store, overrides);
    world.workspaceId = await newWorkspace(store);
    onTestFinished(async () => {
      for (const { agents } of world.#channels.values()) agents.close();
      await store.close();
    });
    return world;
  }

  private constructor(store: Datastore, overrides: Partial<WorkerOptions>) {
    this.store = store;
    const targets = new Targets(['127.0.0.0/8'], async () => ['127.0.0.1']);
    this.options = {
      store,
      readEvents: (workspaceId, range) => readFeed(store, workspaceId, range),
      sender: new SigningSender(new Sender(targets, { limits: PATIENT }), this.box),
      clock: { now: () => this.now },
      verification: 'ping',
      random: () => 0.5,
      sleep: async (milliseconds) => {
        this.now += milliseconds;
      },
      ...overrides,
    };
  }

  /** A webhook that wants everything and is verified. */
  addWebhook(url: string, change: Partial<WebhookRecord> = {}): Promise<WebhookRecord> {
    const webhook = {
      workspaceId: this.workspaceId,
      url,
      types: ['*'],
      batchMax: 1,
      perSecondMax: 100,
      isVerified: true,
      state: 'enabled' as const,
      failures: 0,
      rejections: 0,
      cursor: 0,
      secretHint: webhookSecretHint(this.secret),
      createdAt: this.now,
      ...change,
    };
    const sealed = this.box.seal(this.secret, sealContext(this.workspaceId));
    return this.store.transact((tx) => tx.webhooks.create(webhook, sealed));
  }

  /** Appends one event per name, each a millisecond later. */
  async append(...names: (string | number)[]): Promise<void> {
    const events = names.map((name): NewEvent => ({ ...named(name), at: this.now++ }));
    await this.store.transact((tx) => tx.events.append(this.workspaceId, events));
  }

  async claim(): Promise<WebhookLease[]> {
    const request = { now: this.now, limit: 100 };
    const due = [
      ...(await this.store.read.deliveries.due({ ...request, isFailing: false })),
      ...(await this.store.read.deliveries.due({ ...request, isFailing: true })),
    ];
    return this.store.transact((tx) => tx.deliveries.lease(due, this.now));
  }

  worker(lease: WebhookLease, overrides: Partial<WorkerOptions> = {}): Worker {
    const { id } = lease.webhook;
    const channel = this.#channels.get(id) ?? { agents: openAgents(), bucket: new TokenBucket() };
    this.#channels.set(id, channel);
    return new Worker(lease, channel, { ...this.options, ...overrides });
  }

  /** A worker of another node, which has connections of its own. */
  workerElsewhere(lease: WebhookLease): Worker {
    const agents = openAgents();
    onTestFinished(() => agents.close());
    return new Worker(lease, { agents, bucket: new TokenBucket() }, this.options);
  }

  /** Runs workers until nothing is due any more at this instant. */
  async work(): Promise<void> {
    for (let leases = await this.claim(); leases.length > 0; leases = await this.claim()) {
      await Promise.all(leases.map((lease) => this.worker(lease).run()));
    }
  }

  /** Lets time pass, and works whenever something is due. */
  async workFor(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await this.work();
    for (;;) {
      const next = this.#nextDue();
      if (next === undefined || next > end) break;
      this.now = next;
      await this.work();
    }
    this.now = Math.max(this.now, end);
  }

  /** When the next webhook becomes due, by its row. */
  #nextDue(): number | undefined {
    const db = new Database(this.#file!, { readonly: true });
    const next = db.prepare('SELECT MIN(due_at) FROM webhooks WHERE due_at > ?').pluck();
    const at = next.get(this.now) as number | null;
    db.close();
    return at ?? undefined;
  }

  async webhook(id: number): Promise<WebhookRecord> {
    return (await this.store.read.webhooks.find(this.workspaceId, id))!;
  }

  #key(id: number) {
    return { workspaceId: this.workspaceId, id };
  }

  async events(): Promise<EventRecord[]> {
    return (await readFeed(this.store, this.workspaceId, { after: 0, limit: 10_000 })).records;
  }

  /** The events about webhooks. */
  async emitted() {
    const events = await this.events();
    return events.filter(isAboutWebhooks).map(shownEvent);
  }

  async attempts(id: number): Promise<AttemptRecord[]> {
    const page = { sort: 'id', limit: 10_000 } as const;
    return (await this.store.read.deliveries.attempts(this.#key(id), undefined, page)).items;
  }

  async parked(id: number): Promise<number[]> {
    const page = { sort: 'id', limit: 10_000 } as const;
    const { items } = await this.store.read.deliveries.parked(this.#key(id), page);
    return items.map(({ sequence }) => sequence);
  }
}
