// What a node asks of the shared store, and what it learns and counts for itself when it hears.

import type { Caller } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BanPolicy } from '../ban.ts';
import { admitArguments, keysOf, type Reply, replyOf, type Seed } from './calls.ts';
import type { ValkeyConnection } from './connection.ts';
import { type KnownWorkspaces, learn, noteDecisions, ownCounters } from './known-workspaces.ts';
import { admitScript, bucketScript, liftScript } from './scripts.ts';

export interface ValkeyCountsOptions {
  clock: Clock;
  policy: BanPolicy;
  /** For tests only: an instant to decide by, in place of the shared store's own clock. */
  storeTime?: () => number;
}

export interface BucketReply {
  isRefused: boolean;
  at: number;
  start: number;
  used: number;
}

export class ValkeyCounts {
  readonly #options: ValkeyCountsOptions;
  readonly #connection: ValkeyConnection;
  readonly #known: KnownWorkspaces;
  /** How far the shared store's clock is ahead of this node's. */
  #aheadMs = 0;

  constructor(options: ValkeyCountsOptions, connection: ValkeyConnection, known: KnownWorkspaces) {
    this.#options = options;
    this.#connection = connection;
    this.#known = known;
  }

  /** The shared store's clock, as far as this node can tell. */
  now(): number {
    return this.#options.storeTime?.() ?? this.#options.clock.now() + this.#aheadMs;
  }

  /** Decides requests of one caller, one after the other. */
  async ask(caller: Caller, costs: readonly number[], seeds?: readonly Seed[]): Promise<Reply> {
    const { workspaceId, keyId } = caller;
    const { storeTime, policy } = this.#options;
    const workspace = this.#known.get(workspaceId);
    workspace.calls += 1;
    let asked = 0;
    let news = workspace.newsTold;
    const ban = workspace.untoldBans.has(keyId) ? workspace.offenders.get(keyId) : undefined;
    const compose = () => {
      const isTelling = workspace.news > workspace.newsTold || seeds !== undefined;
      // A store that has to begin has counted nothing of what it was asked so far.
      const counted = seeds ? 0 : workspace.asked;
      const windows = isTelling ? ownCounters(workspace, counted, this.now()) : undefined;
      if (isTelling && !seeds) news = workspace.news;
      for (const cost of costs) asked += cost;
      workspace.asked += asked;
      return admitArguments({ at: storeTime?.(), caller, costs, policy, windows, ban, seeds });
    };
    try {
      const keys = keysOf(workspaceId, keyId);
      const reply = replyOf(await this.#connection.run(admitScript, keys, compose));
      const { at, decisions } = reply;
      this.#hear(at);
      if (!decisions) return reply;
      if (ban) workspace.untoldBans.delete(keyId);
      workspace.newsTold = Math.max(workspace.newsTold, news);
      learn(workspace, keyId, { at, ban: reply.ban, counters: decisions.at(-1)!.counters });
      noteDecisions(workspace, caller.limits, costs, decisions);
      return reply;
    } finally {
      workspace.asked -= asked;
      workspace.calls -= 1;
    }
  }

  async askBucket(bucket: string, perMinute: number, count: number): Promise<BucketReply> {
    const args = [this.#storeTime(), String(perMinute), String(count)];
    const keys = [`petstore:{b:${bucket}}`];
    const reply = await this.#connection.run(bucketScript, keys, () => args);
    const [refused, at, start, used] = reply as [number, number, number, number];
    this.#hear(at);
    return { isRefused: refused === 1, at, start, used };
  }

  async lift(workspaceId: number, keyId: string): Promise<void> {
    const keys = keysOf(workspaceId, keyId);
    await this.#connection.run(liftScript, keys, () => [this.#storeTime(), keyId]);
  }

  #hear(at: number): void {
    this.#aheadMs = at - this.#options.clock.now();
  }

  #storeTime(): string {
    return String(this.#options.storeTime?.() ?? '');
  }
}
