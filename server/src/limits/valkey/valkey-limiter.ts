// The limiter that several nodes share: the decision is made in Valkey or Redis, in one round trip. Requests
// of a key that arrive in one turn of the event loop are decided together, one after the other: a
// round trip costs this process and the store more than a decision does.
//
// Every node keeps a copy of what the store last told it of each workspace, for two uses. While the
// store is away the node goes on deciding from that copy by itself, so that all nodes together
// admit at most the limit times their number. And it tells the store what the store does not know:
// what was counted while it was away, and what it had known before it lost its data. Bans are kept
// in the database as well, and read from there when the store has lost them.

import type { Caller } from '../../domain/key.ts';
import { type Coalescer, chunksOf } from '../../lib/coalescer.ts';
import { liftBan, pullBanBack } from '../ban.ts';
import { BanRecords } from '../ban-records.ts';
import { Buckets, bucketVerdict } from '../buckets.ts';
import type { LimitStore } from '../limit-store.ts';
import type { ActiveBan, Limiter, Verdict } from '../limiter.ts';
import { viewsOf } from '../window.ts';
import {
  bannedVerdict,
  countRequest,
  hasBanned,
  offendersOf,
  refuseBanned,
  refusedVerdict,
  refuseExhausted,
  type WorkspaceLimits,
} from '../workspace-limits.ts';
import type { Reply, Seed } from './calls.ts';
import { ValkeyConnection } from './connection.ts';
import { ValkeyCounts, type ValkeyCountsOptions } from './counts.ts';
import {
  type Decision,
  KnownWorkspaces,
  noteAdmittedAlone,
  ownCounters,
} from './known-workspaces.ts';

export interface ValkeyLimiterOptions extends ValkeyCountsOptions {
  url: string;
  coalescer: Coalescer;
  /** Keeps the bans; counters are not written to it. */
  store: LimitStore;
  /**
   * The shared store could not be reached and this node decides by itself, or the database failed.
   */
  onStoreFailure: (err: unknown) => void;
  onStoreRecovery?: () => void;
  /** How long the shared store may take for a decision before this node takes it by itself. */
  budgetMs?: number;
}

const BUDGET_MS = 50;
/** So that the store, which does one thing at a time, is not held up for long. */
const TOGETHER_MAX = 100;
const BUCKETS_MAX = 100_000;
const SWEEP_MS = 60_000;

interface Request {
  caller: Caller;
  cost: number;
  resolve: (verdict: Verdict | Promise<Verdict>) => void;
  reject: (err: unknown) => void;
}

export class ValkeyLimiter implements Limiter {
  readonly #options: ValkeyLimiterOptions;
  readonly #connection: ValkeyConnection;
  readonly #counts: ValkeyCounts;
  readonly #banRecords: BanRecords;
  readonly #known = new KnownWorkspaces();
  readonly #buckets = new Buckets(BUCKETS_MAX);
  readonly #sweeper: NodeJS.Timeout;
  readonly #decideSoon: (request: Request) => void;

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
    this.#counts = new ValkeyCounts(options, this.#connection, this.#known);
    this.#banRecords = new BanRecords(options.store, options.onStoreFailure);
    this.#decideSoon = options.coalescer.batch((requests) => {
      for (const [caller, ofCaller] of Map.groupBy(requests, ({ caller }) => caller)) {
        for (const chunk of chunksOf(ofCaller, TOGETHER_MAX)) void this.#decide(caller, chunk);
      }
    });
    this.#sweeper = setInterval(() => this.#known.sweep(this.#counts.now()), SWEEP_MS).unref();
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
    return new Promise((resolve, reject) => this.#decideSoon({ caller, cost, resolve, reject }));
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
    const now = this.#counts.now();
    const bans = await this.#options.store.listBans(now, workspaceId);
    for (const ban of bans) pullBanBack(ban, now);
    return bans;
  }

  async lift(keyId: string): Promise<boolean> {
    const ban = await this.#options.store.findBan(keyId);
    const isLifted = await this.#options.store.liftBan(keyId, this.#counts.now());
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

  async #decide(caller: Caller, requests: readonly Request[]): Promise<void> {
    const costs = requests.map(({ cost }) => cost);
    // Without an answer this node decides by itself.
    const reply = await this.#ask(caller, costs).catch(() => undefined);
    for (const [index, { cost, resolve, reject }] of requests.entries()) {
      const decision = reply?.decisions?.[index];
      try {
        if (decision) resolve(this.#verdictOf(caller, cost, reply.at, decision));
        else resolve(this.#decideAlone(caller, cost));
      } catch (err) {
        reject(err);
      }
    }
  }

  async #ask(caller: Caller, costs: readonly number[]): Promise<Reply> {
    const first = await this.#counts.ask(caller, costs);
    return first.decisions ? first : this.#counts.ask(caller, costs, await this.#seeds(caller));
  }

  #verdictOf(
    caller: Caller,
    cost: number,
    at: number,
    decision: Decision,
  ): Verdict | Promise<Verdict> {
    const { outcome, counters, bannedUntil, refusalsBeforeBan } = decision;
    const { limits } = caller;
    if (outcome === 'admitted') return { at, windows: viewsOf(counters, limits, at) };
    if (outcome === 'behind') return this.#decideAlone(caller, cost);
    const workspace = this.#known.get(caller.workspaceId);
    if (outcome === 'ban') {
      const verdict = bannedVerdict(counters, limits, cost, at, bannedUntil);
      return this.#unlessLifted(workspace, caller, cost, verdict);
    }
    const refused = { by: outcome, refusalsBeforeBan };
    const verdict = refusedVerdict(counters, limits, cost, at, refused, bannedUntil);
    return hasBanned(verdict) ? this.#saveBan(workspace, caller, verdict) : verdict;
  }

  /** The decision of a node on its own, by what it knows. */
  #decideAlone(caller: Caller, cost: number): Verdict | Promise<Verdict> {
    const workspace = this.#known.get(caller.workspaceId);
    if (!workspace.isRead) return this.#read(caller).then(() => this.#decideAlone(caller, cost));
    const now = this.#counts.now();
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

  /** Bans of this node's own hold on every other as soon as the store is back. */
  #tellBans(): void {
    for (const { workspaceId, keyId } of [...this.#known.untoldBans()]) {
      const limits = { perMinute: 0, perDay: 0 };
      // One that is not told now is told with the next request of its key.
      this.#counts.ask({ workspaceId, keyId, limits, scopes: [] }, [0]).catch(() => {});
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
      this.#buckets[count === 0 ? 'peek' : 'admit'](bucket, perMinute, this.#counts.now());
    if (!this.#connection.isUp) return decideAlone();
    return this.#decideBucket(bucket, perMinute, count).catch(decideAlone);
  }

  async #decideBucket(bucket: string, perMinute: number, count: number): Promise<Verdict> {
    const { isRefused, at, ...used } = await this.#counts.askBucket(bucket, perMinute, count);
    if (count > 0) this.#buckets.learn(bucket, used, at);
    return bucketVerdict(used, perMinute, at, isRefused);
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
    if (offender && this.#counts.now() < offender.until) liftBan(offender);
    if (!this.#connection.isUp) return;
    // A store that does not answer now is told when a request of the key is next rechecked.
    await this.#counts.lift(workspaceId, keyId).catch(() => {});
  }
}
