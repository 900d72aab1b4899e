// The limiter that several nodes share: the decision is made in Valkey or Redis, in one round trip.
//
// Every node keeps a copy of what the store last told it of each workspace, for two uses. While the
// store is away the node goes on deciding from that copy by itself, so that all nodes together
// admit at most the limit times their number. And it tells the store what the store does not know:
// what was counted while it was away, and what it had known before it lost its data. Bans are kept
// in the database as well, and read from there when the store has lost them.

import type { Caller } from '../domain/key.ts';
import type { Clock } from '../lib/clock.ts';
import { type BanPolicy, liftBan, pullBanBack } from './ban.ts';
import { BanRecords } from './ban-records.ts';
import { Buckets, bucketVerdict } from './buckets.ts';
import {
  KnownWorkspaces,
  learn,
  mayAdmit,
  noteAdmitted,
  noteAdmittedAlone,
  ownCounters,
} from './known-workspaces.ts';
import type { LimitStore } from './limit-store.ts';
import type { ActiveBan, Limiter, Verdict } from './limiter.ts';
import { admitArguments, keysOf, type Reply, replyOf, type Seed } from './valkey-calls.ts';
import { ValkeyConnection } from './valkey-connection.ts';
import { admitScript, bucketScript, liftScript } from './valkey-scripts.ts';
import { viewsOf } from './window.ts';
import {
  bannedVerdict,
  countRequest,
  hasBanned,
  offendersOf,
  refuseBanned,
  refusedVerdict,
  refuseExhausted,
  type WorkspaceLimits,
} from './workspace-limits.ts';

export interface ValkeyLimiterOptions {
  url: string;
  /** Keeps the bans; counters are not written to it. */
  store: LimitStore;
  clock: Clock;
  policy: BanPolicy;
  /**
   * The shared store could not be reached and this node decides by itself, or the database failed.
   */
  onStoreFailure: (err: unknown) => void;
  onStoreRecovery?: () => void;
  /** How long the shared store may take for a decision before this node takes it by itself. */
  budgetMs?: number;
  /** For tests only: an instant to decide by, in place of the shared store's own clock. */
  storeTime?: () => number;
}

const BUDGET_MS = 50;
const BUCKETS_MAX = 100_000;
const SWEEP_MS = 60_000;

export class ValkeyLimiter implements Limiter {
  readonly #options: ValkeyLimiterOptions;
  readonly #connection: ValkeyConnection;
  readonly #banRecords: BanRecords;
  readonly #known = new KnownWorkspaces();
  readonly #buckets = new Buckets(BUCKETS_MAX);
  readonly #sweeper: NodeJS.Timeout;
  /** How far the shared store's clock is ahead of this node's. */
  #aheadMs = 0;

  constructor(options: ValkeyLimiterOptions) {
    this.#options = options;
    this.#connection = new ValkeyConnection({
      url: options.url,
      budgetMs: options.budgetMs ?? BUDGET_MS,
      onFailure: options.onStoreFailure,
      onRecovery: () => {
        options.onStoreRecovery?.();
        this.#tellBans();
      },
    });
    this.#banRecords = new BanRecords(options.store, options.onStoreFailure);
    this.#sweeper = setInterval(() => this.#known.sweep(this.#now()), SWEEP_MS).unref();
  }

  /** False while this node decides by itself. */
  get isShared(): boolean {
    return this.#connection.isUp;
  }

  /**
   * Resolves when the shared store is found, or when it is clear that it is better not waited for.
   */
  ready(): Promise<void> {
    return this.#connection.ready();
  }

  admit(caller: Caller, cost: number): Verdict | Promise<Verdict> {
    if (!this.#connection.isUp) return this.#decideAlone(caller, cost);
    return this.#decide(caller, cost).catch(() => this.#decideAlone(caller, cost));
  }

  peek(caller: Caller): Verdict | Promise<Verdict> {
    return this.admit(caller, 0);
  }

  admitBucket(bucket: string, perMinute: number): Verdict | Promise<Verdict> {
    return this.#bucket(bucket, perMinute, 1);
  }

  peekBucket(bucket: string, perMinute: number): Verdict | Promise<Verdict> {
    return this.#bucket(bucket, perMinute, 0);
  }

  async bans(workspaceId?: number): Promise<ActiveBan[]> {
    const now = this.#now();
    const bans = await this.#options.store.listBans(now, workspaceId);
    for (const ban of bans) pullBanBack(ban, now);
    return bans;
  }

  async lift(keyId: string): Promise<boolean> {
    const ban = await this.#options.store.findBan(keyId);
    const isLifted = await this.#options.store.liftBan(keyId, this.#now());
    // Whoever lifted it in the database before left the shared store to this.
    if (ban) await this.#liftShared(ban.workspaceId, keyId);
    return isLifted;
  }

  /** It always can decide, if need be by itself. */
  async ping(): Promise<void> {}

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#connection.close();
  }

  async #decide(caller: Caller, cost: number): Promise<Verdict> {
    const first = await this.#ask(caller, cost);
    const isLost = first.outcome === 'unknown';
    const reply = isLost ? await this.#ask(caller, cost, await this.#seeds(caller)) : first;
    const { outcome, at, counters, ban, refusalsBeforeBan } = reply;
    const { limits } = caller;
    const workspace = this.#known.get(caller.workspaceId);
    if (outcome === 'ban') {
      const verdict = bannedVerdict(counters, limits, cost, at, ban.until);
      return this.#unlessLifted(workspace, caller, cost, verdict);
    }
    if (outcome !== 'minute' && outcome !== 'day') {
      return { at, windows: viewsOf(counters, limits, at) };
    }
    const refused = { by: outcome, refusalsBeforeBan };
    const verdict = refusedVerdict(counters, limits, cost, at, refused, ban.until);
    return hasBanned(verdict) ? this.#saveBan(workspace, caller, verdict) : verdict;
  }

  /** The decision of a node on its own, by what it knows. */
  #decideAlone(caller: Caller, cost: number): Verdict | Promise<Verdict> {
    const workspace = this.#known.get(caller.workspaceId);
    if (!workspace.isRead) return this.#read(caller).then(() => this.#decideAlone(caller, cost));
    const now = this.#now();
    const banned = refuseBanned(workspace, caller, cost, now);
    if (banned) return this.#unlessLifted(workspace, caller, cost, banned);
    if (cost === 0) return { at: now, windows: viewsOf(workspace.counters, caller.limits, now) };
    const { offenders, asked } = workspace;
    const own = { counters: ownCounters(workspace, asked, now), offenders };
    const refused = refuseExhausted(own, caller, cost, now, this.#options.policy);
    if (!refused) {
      noteAdmittedAlone(workspace, cost);
      return countRequest(workspace, caller, cost, now);
    }
    if (!hasBanned(refused)) return refused;
    workspace.untoldBans.add(caller.keyId);
    return this.#saveBan(workspace, caller, refused);
  }

  async #ask(caller: Caller, cost: number, seeds?: readonly Seed[]): Promise<Reply> {
    const { workspaceId, keyId } = caller;
    const { storeTime, policy } = this.#options;
    const workspace = this.#known.get(workspaceId);
    let asked = 0;
    let news = workspace.newsTold;
    const ban = workspace.untoldBans.has(keyId) ? workspace.offenders.get(keyId) : undefined;
    const compose = () => {
      const isTelling = workspace.news > workspace.newsTold || seeds !== undefined;
      // A store that has to begin has counted nothing of what it was asked so far.
      const counted = seeds ? 0 : workspace.asked;
      const windows = isTelling ? ownCounters(workspace, counted, this.#now()) : undefined;
      if (isTelling && !seeds) news = workspace.news;
      asked = cost;
      workspace.asked += asked;
      return admitArguments({ at: storeTime?.(), caller, cost, policy, windows, ban, seeds });
    };
    try {
      const keys = keysOf(workspaceId, keyId);
      const reply = replyOf(await this.#connection.run(admitScript, keys, compose));
      this.#aheadMs = reply.at - this.#options.clock.now();
      if (reply.outcome === 'unknown') return reply;
      if (ban) workspace.untoldBans.delete(keyId);
      workspace.newsTold = Math.max(workspace.newsTold, news);
      learn(workspace, keyId, reply);
      if (reply.outcome !== 'admitted') return reply;
      // The store cannot know all that was admitted while it was slow; this node knows its part.
      if (!mayAdmit(workspace, caller.limits, cost)) throw new Error('the limit store is behind');
      noteAdmitted(workspace, cost);
      return reply;
    } finally {
      workspace.asked -= asked;
    }
  }

  /** Bans of this node's own hold on every other as soon as the store is back. */
  #tellBans(): void {
    for (const { workspaceId, keyId } of [...this.#known.untoldBans()]) {
      const limits = { perMinute: 0, perDay: 0 };
      // One that is not told now is told with the next request of its key.
      this.#ask({ workspaceId, keyId, limits, scopes: [] }, 0).catch(() => {});
    }
  }

  /** What a store that knows nothing of a workspace has to begin with. */
  async #seeds({ workspaceId }: Caller): Promise<readonly Seed[]> {
    try {
      return (await this.#options.store.load(workspaceId)).bans;
    } catch (err) {
      this.#options.onStoreFailure(err);
      throw err;
    }
  }

  async #read({ workspaceId }: Caller): Promise<void> {
    const workspace = this.#known.get(workspaceId);
    try {
      const { bans } = await this.#options.store.load(workspaceId);
      if (!workspace.isRead) workspace.offenders = offendersOf(bans);
    } catch (err) {
      this.#options.onStoreFailure(err);
    }
    workspace.isRead = true;
  }

  #bucket(bucket: string, perMinute: number, count: 0 | 1): Verdict | Promise<Verdict> {
    const decideAlone = () =>
      this.#buckets[count === 0 ? 'peek' : 'admit'](bucket, perMinute, this.#now());
    if (!this.#connection.isUp) return decideAlone();
    return this.#decideBucket(bucket, perMinute, count).catch(decideAlone);
  }

  async #decideBucket(bucket: string, perMinute: number, count: number): Promise<Verdict> {
    const { storeTime, clock } = this.#options;
    const args = [storeTime ? String(storeTime()) : '', String(perMinute), String(count)];
    const keys = [`petstore:{b:${bucket}}`];
    const reply = await this.#connection.run(bucketScript, keys, () => args);
    const [isRefused, at, start, used] = reply as [number, number, number, number];
    this.#aheadMs = at - clock.now();
    if (count > 0) this.#buckets.learn(bucket, { start, used }, at);
    return bucketVerdict({ start, used }, perMinute, at, isRefused === 1);
  }

  async #saveBan(workspace: WorkspaceLimits, caller: Caller, verdict: Verdict): Promise<Verdict> {
    const { keyId, workspaceId } = caller;
    await this.#banRecords.save(keyId, workspaceId, workspace.offenders.get(keyId)!);
    return verdict;
  }

  #unlessLifted(
    workspace: WorkspaceLimits,
    caller: Caller,
    cost: number,
    verdict: Verdict,
  ): Verdict | Promise<Verdict> {
    const { keyId, workspaceId } = caller;
    const rechecking = this.#banRecords.recheck(
      caller,
      workspace.offenders.get(keyId)!,
      verdict.at,
    );
    if (!rechecking) return verdict;
    return rechecking.then(async (isLifted) => {
      if (!isLifted) return verdict;
      await this.#liftShared(workspaceId, keyId);
      return this.admit(caller, cost);
    });
  }

  async #liftShared(workspaceId: number, keyId: string): Promise<void> {
    const offender = this.#known.get(workspaceId).offenders.get(keyId);
    if (offender && this.#now() < offender.until) liftBan(offender);
    if (!this.#connection.isUp) return;
    // A store that does not answer now is told when a request of the key is next rechecked.
    const keys = keysOf(workspaceId, keyId);
    const at = String(this.#options.storeTime?.() ?? '');
    await this.#connection.run(liftScript, keys, () => [at, keyId]).catch(() => {});
  }

  /** The shared store's clock, as far as this node can tell. */
  #now(): number {
    return this.#options.storeTime?.() ?? this.#options.clock.now() + this.#aheadMs;
  }
}
