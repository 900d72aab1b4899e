// Finds webhooks that are due, takes their leases, and runs one worker for each. It looks twice a second, and at once after
// a change on this node. Any number of nodes do the same: the lease in the database decides who delivers.

import type { LoggedChange } from '../datastore/cluster/changes.ts';
import type { WebhookLease } from '../domain/webhook.ts';
import { openAgents } from './sender.ts';
import { TokenBucket } from './token-bucket.ts';
import { type Channel, Worker, type WorkerOptions } from './worker.ts';

interface DispatcherOptions extends WorkerOptions {
  /** Whether this node agrees with the database on the time. If not, it takes no lease. */
  isClockRight: () => boolean;
  onFailure: (err: unknown) => void;
}

interface Running {
  worker: Worker;
  isFailing: boolean;
  done: Promise<void>;
}

/** Does not count workers whose receiver is slow to answer. A request that times out makes the webhook a failing one. */
const WORKERS_MAX = 50;
/** Receivers that fail may hang. They never take all of the workers. */
const FAILING_WORKERS_MAX = 25;
/** Up to this many, failing webhooks come first: healthy ones may queue without end. */
const FAILING_WORKERS_RESERVED = 10;
/** Includes the workers whose receiver is slow to answer. */
const ALL_WORKERS_MAX = 500;
const LOOK_MS = 500;
/** The period while all workers are busy. */
const LOOK_WHILE_BUSY_MS = 250;
const STOP_MS = 5_000;
const CHANNEL_KEPT_MS = 60_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<number, Running>();
  readonly #channels = new Map<number, Channel & { usedAt: number }>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isWoken = false;
  #isStarted = false;
  #isStopped = false;
  #stopping: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** There may be something to do. */
  readonly wake = (): void => {
    if (!this.#isStarted || this.#isStopped) return;
    this.#isWoken = true;
    this.#looking ??= this.#lookUntilQuiet();
  };

  /** The owner has changed a webhook, on any node: a worker under way must not go on with what it knows. */
  drop({ kind, subject }: LoggedChange): void {
    if (kind !== 'webhook') return;
    this.#running.get(Number(subject))?.worker.stop();
    this.wake();
  }

  /** The same for all webhooks. */
  clear(): void {
    for (const { worker } of this.#running.values()) worker.stop();
    this.wake();
  }

  /** Finishes the requests under way, within a few seconds, and gives all leases back. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const { worker } of this.#running.values()) worker.stop();
    const finished = this.#finishWorkers().then(() => true);
    const isFinished = await Promise.race([finished, after(STOP_MS)]);
    if (!isFinished) {
      for (const { worker } of this.#running.values()) worker.abandon();
      await Promise.race([finished, after(STOP_MS)]);
    }
    for (const { agents } of this.#channels.values()) agents.close();
  }

  /** A look under way still starts workers, which stop at once and give their leases back. */
  async #finishWorkers(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #lookUntilQuiet(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        await this.#leaseDue();
      }
    } catch (err) {
      this.#options.onFailure(err);
    } finally {
      this.#looking = undefined;
      this.#closeUnused();
      this.#lookIn(this.#freeWorkers > 0 ? LOOK_MS : LOOK_WHILE_BUSY_MS);
      if (this.#isWoken && !this.#isStopped) queueMicrotask(this.wake);
    }
  }

  async #leaseDue(): Promise<void> {
    const { store, clock, isClockRight } = this.#options;
    const free = this.#freeWorkers;
    if (free <= 0 || !isClockRight()) return;
    const now = clock.now();
    const running = [...this.#running.values()].filter(({ isFailing }) => isFailing).length;
    const limit = Math.min(free, FAILING_WORKERS_MAX - running);
    const failing =
      limit > 0 ? await store.read.deliveries.due({ now, limit, isFailing: true }) : [];
    const healthy = await store.read.deliveries.due({ now, limit: free, isFailing: false });
    const reserved = Math.max(0, FAILING_WORKERS_RESERVED - running);
    const due = [...failing.slice(0, reserved), ...healthy, ...failing.slice(reserved)];
    const idle = due.slice(0, free).filter(({ id }) => !this.#running.has(id));
    if (idle.length === 0 || this.#isStopped) return;
    const leases = await store.transact((tx) => tx.deliveries.lease(idle, clock.now()));
    for (const lease of leases) this.#run(lease);
  }

  get #freeWorkers(): number {
    const isBusy = ({ worker, isFailing }: Running) => isFailing || !worker.isKeptWaiting;
    const busy = [...this.#running.values()].filter(isBusy).length;
    return Math.min(WORKERS_MAX - busy, ALL_WORKERS_MAX - this.#running.size);
  }

  #run(lease: WebhookLease): void {
    const { id, failures } = lease.webhook;
    const worker = new Worker(lease, this.#channelOf(id), this.#options);
    if (this.#isStopped) worker.stop();
    const done = worker
      .run()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#running.delete(id);
        this.wake();
      });
    this.#running.set(id, { worker, isFailing: failures > 0, done });
  }

  #lookIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(this.wake, milliseconds).unref();
  }

  #channelOf(id: number): Channel {
    const channel = this.#channels.get(id) ?? {
      agents: openAgents(),
      bucket: new TokenBucket(),
      usedAt: 0,
    };
    channel.usedAt = this.#options.clock.now();
    this.#channels.set(id, channel);
    return channel;
  }

  #closeUnused(): void {
    const before = this.#options.clock.now() - CHANNEL_KEPT_MS;
    for (const [id, { agents, usedAt }] of this.#channels) {
      if (usedAt >= before || this.#running.has(id)) continue;
      agents.close();
      this.#channels.delete(id);
    }
  }
}

function after(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds).unref());
}
