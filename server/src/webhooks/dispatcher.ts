// Finds webhooks that are due, claims them, and runs one worker for each. New events and changes of an owner wake it; a poll
// every few seconds makes sure that nothing depends on being woken. Any number of nodes do the same: the
// lease in the database decides who delivers.

import type { WebhookLease } from '../domain/webhook.ts';
import { openAgents } from './sender.ts';
import { TokenBucket } from './token-bucket.ts';
import { type Channel, Worker, type WorkerOptions } from './worker.ts';

interface DispatcherOptions extends WorkerOptions {
  /** Calls the listener when there may be new events in a workspace. */
  watch: (workspaceId: number, listener: () => void) => () => void;
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
const POLL_MS = 5_000;
/** The period while all workers are busy. */
const POLL_WHILE_BUSY_MS = 250;
const STOP_MS = 5_000;
const CHANNEL_KEPT_MS = 60_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<number, Running>();
  readonly #channels = new Map<number, Channel & { usedAt: number }>();
  readonly #watched = new Map<number, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStarted = false;
  #isStopped = false;
  #stopping: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
    void this.#poll();
  }

  /** There may be something to do. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#claiming ??= this.#claimUntilQuiet();
  };

  /** The owner has created or changed a webhook: a worker under way must not go on with what it knows. */
  noteChange(workspaceId: number, webhookId?: number): void {
    if (!this.#isStarted) return;
    if (webhookId !== undefined) this.#running.get(webhookId)?.worker.stop();
    this.#watch(workspaceId);
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
    for (const unwatch of this.#watched.values()) unwatch();
    for (const { worker } of this.#running.values()) worker.stop();
    const finished = this.#finishWorkers().then(() => true);
    const isFinished = await Promise.race([finished, after(STOP_MS)]);
    if (!isFinished) {
      for (const { worker } of this.#running.values()) worker.abandon();
      await Promise.race([finished, after(STOP_MS)]);
    }
    for (const { agents } of this.#channels.values()) agents.close();
  }

  /** A claim under way still starts workers, which stop at once and give their leases back. */
  async #finishWorkers(): Promise<void> {
    await this.#claiming;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Looks at every workspace, whatever was or was not notified. */
  async #poll(): Promise<void> {
    try {
      const workspaceIds = new Set(await this.#options.store.read.deliveries.workspaces());
      for (const id of workspaceIds) this.#watch(id);
      for (const [id, unwatch] of this.#watched) {
        if (workspaceIds.has(id)) continue;
        unwatch();
        this.#watched.delete(id);
      }
    } catch (err) {
      this.#options.onFailure(err);
    }
    this.#closeUnused();
    this.wake();
  }

  #watch(workspaceId: number): void {
    if (this.#isStopped || this.#watched.has(workspaceId)) return;
    this.#watched.set(workspaceId, this.#options.watch(workspaceId, this.wake));
  }

  async #claimUntilQuiet(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        await this.#claimDue();
      }
      await this.#schedule();
    } catch (err) {
      this.#options.onFailure(err);
      this.#pollIn(POLL_MS);
    } finally {
      this.#claiming = undefined;
      if (this.#isWoken && !this.#isStopped) queueMicrotask(this.wake);
    }
  }

  async #claimDue(): Promise<void> {
    const { store, clock } = this.#options;
    const free = this.#freeWorkers;
    if (free <= 0) return;
    const now = clock.now();
    const running = [...this.#running.values()].filter(({ isFailing }) => isFailing).length;
    const limit = Math.min(free, FAILING_WORKERS_MAX - running);
    const failing =
      limit > 0 ? await store.read.deliveries.due({ now, limit, isFailing: true }) : [];
    const healthy = await store.read.deliveries.due({ now, limit: free, isFailing: false });
    const reserved = Math.max(0, FAILING_WORKERS_RESERVED - running);
    const due = [...failing.slice(0, reserved), ...healthy, ...failing.slice(reserved)];
    const ids = due.slice(0, free).filter((id) => !this.#running.has(id));
    if (ids.length === 0 || this.#isStopped) return;
    const leases = await store.transact((tx) => tx.deliveries.claim(ids, clock.now()));
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

  async #schedule(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#freeWorkers <= 0) return this.#pollIn(POLL_WHILE_BUSY_MS);
    const { store, clock } = this.#options;
    const nextMs = (await store.read.deliveries.nextDueInMs(clock.now())) ?? POLL_MS;
    this.#pollIn(Math.min(nextMs, POLL_MS));
  }

  #pollIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#poll(), milliseconds).unref();
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
