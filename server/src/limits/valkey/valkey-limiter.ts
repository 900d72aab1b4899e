// The limiter that several nodes share. Valkey or Redis decides: one script, one round trip for all
// requests of a key that arrive in one tick.
//
// Every node keeps a copy of what it knows of a workspace. While the store is unreachable the node decides
// by that copy alone, and together the nodes admit at most the limit times their number. After each
// new connection, and when the store has lost its data, the node sends its copy along with the next
// call; the store keeps the larger counts. The day's count is also read from the usage in the
// database, for the case that no running node knows it.
//
// The database decides which bans exist. A node reads those of a workspace with its first request and after
// each change of the connection, and those in force once a second. It sends what it read along with
// the next call of the key, so a store with older data never loses a ban or a strike.

import type { StoredBan } from '../../domain/ban.ts';
import type { Caller } from '../../domain/key.ts';
import { chunksOf } from '../../lib/chunks.ts';
import type { Coalescer } from '../../lib/coalescer.ts';
import { liftBan } from '../ban.ts';
import { BanRecords } from '../ban-records.ts';
import { Buckets, bucketVerdict } from '../buckets.ts';
import type { ActiveBan, Limiter, LimitStore, Verdict } from '../limiter.ts';
import { countedIn, uncount, viewsOf } from '../window.ts';
import {
  bannedVerdict,
  countRequest,
  hasBanned,
  type LimitRequest,
  refuseBanned,
  refusedVerdict,
  refuseExhausted,
} from '../workspace-limits.ts';
import { type AdmitReply, type Charge, type Decision, workspaceKey } from './admit-call.ts';
import { type LocalWorkspace, LocalWorkspaces } from './local-workspaces.ts';
import {
  bucketKey,
  SharedCounts,
  type SharedCountsOptions,
  type StoreNames,
} from './shared-counts.ts';
import { openSharedStore } from './shared-store.ts';
import type { ValkeyStore } from './valkey-store.ts';
import { WorkspaceLoader } from './workspace-loader.ts';

export interface ValkeyLimiterOptions extends SharedCountsOptions {
  url: string;
  coalescer: Coalescer;
  /** The database, which keeps the bans. */
  store: LimitStore;
  /** Called when the shared store becomes unreachable, or the database fails. */
  onStoreFailure: (err: unknown) => void;
  onStoreRecovery?: () => void;
  /** How long the shared store may be silent before this node decides alone; SILENCE_MAX_MS if absent. */
  silenceMaxMs?: number;
}

/** The store does one thing at a time, so no call may keep it busy for long. */
const REQUESTS_PER_CALL_MAX = 100;
const BUCKETS_MAX = 100_000;
const SWEEP_MS = 60_000;

interface Request {
  caller: Caller;
  charge: Charge;
  resolve: (verdict: Verdict | Promise<Verdict>) => void;
}

export class ValkeyLimiter implements Limiter {
  /** Resolves when the shared store is up, or within two seconds. Throws if only other settings can make it usable. */
  readonly ready: () => Promise<void>;
  readonly #options: ValkeyLimiterOptions;
  readonly #store: ValkeyStore;
  readonly #topology: ReturnType<typeof openSharedStore>['topology'];
  readonly #counts: SharedCounts;
  readonly #banRecords: BanRecords;
  readonly #loader: WorkspaceLoader;
  readonly #workspaces = new LocalWorkspaces();
  readonly #buckets = new Buckets(BUCKETS_MAX);
  readonly #sweeper: NodeJS.Timeout;
  readonly #decideAtTickEnd: (request: Request) => void;

  constructor(options: ValkeyLimiterOptions) {
    const { url, coalescer, onStoreFailure, onStoreRecovery } = options;
    this.#options = options;
    const { store, topology, ready } = openSharedStore({
      url,
      silenceMaxMs: options.silenceMaxMs,
      onFailure: onStoreFailure,
      onRecovery: () => onStoreRecovery?.(),
    });
    this.#store = store;
    this.#topology = topology;
    this.ready = ready;
    this.#counts = new SharedCounts(options, store);
    this.#banRecords = new BanRecords(options);
    this.#loader = new WorkspaceLoader({
      ...options,
      generationOf: (workspaceId) => this.#store.generation(workspaceKey(workspaceId)),
      workspaces: this.#workspaces,
      storeNow: () => this.#counts.now(),
    });
    this.#decideAtTickEnd = coalescer.batch((requests) => {
      for (const [caller, ofCaller] of Map.groupBy(requests, ({ caller }) => caller)) {
        for (const chunk of chunksOf(ofCaller, REQUESTS_PER_CALL_MAX)) {
          void this.#decide(caller, chunk);
        }
      }
    });
    this.#sweeper = setInterval(() => this.#workspaces.sweep(this.#counts.now()), SWEEP_MS).unref();
  }

  /** False while this node decides alone about any workspace. */
  get isShared(): boolean {
    return this.#store.isShared;
  }

  /** The same for all nodes that share a store; undefined while this node decides alone about any workspace. */
  async storeNames(): Promise<StoreNames | undefined> {
    if (!this.isShared) return undefined;
    return await this.#counts.storeNames().catch(() => undefined);
  }

  /** How the shared store is run, and its masters. */
  get topology() {
    return { topology: this.#topology, servers: this.#store.servers };
  }

  admit(caller: Caller, cost: number): Verdict | Promise<Verdict> {
    return this.#admit(caller, { cost });
  }

  readmit(caller: Caller, cost: number, admitted: Verdict): Verdict | Promise<Verdict> {
    return this.#admit(caller, { cost, countedIn: countedIn(admitted.windows) });
  }

  #admit(caller: Caller, charge: Charge): Verdict | Promise<Verdict> {
    const workspace = this.#workspaces.get(caller.workspaceId);
    const loading = this.#loader.load(caller.workspaceId, workspace);
    if (loading) return loading.then(() => this.#admit(caller, charge));
    if (!this.#store.isUp(workspaceKey(caller.workspaceId))) {
      return this.#decideAlone(workspace, caller, charge);
    }
    return new Promise((resolve) => this.#decideAtTickEnd({ caller, charge, resolve }));
  }

  peek(caller: Caller): Verdict | Promise<Verdict> {
    return this.admit(caller, 0);
  }

  admitBucket(bucket: string, perMinute: number): Verdict | Promise<Verdict> {
    return this.#bucketVerdict(bucket, perMinute, 1);
  }

  peekBucket(bucket: string, perMinute: number): Verdict | Promise<Verdict> {
    return this.#bucketVerdict(bucket, perMinute, 0);
  }

  bans(workspaceId: number): Promise<ActiveBan[]> {
    return this.#banRecords.list(this.#counts.now(), workspaceId);
  }

  view(ban: StoredBan): ActiveBan {
    return this.#banRecords.view(ban, this.#counts.now());
  }

  async lift(keyId: string): Promise<void> {
    const ban = await this.#options.store.findBan(keyId);
    if (ban) await this.#liftShared(ban.workspaceId, keyId);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#store.close();
  }

  async #decide(caller: Caller, requests: readonly Request[]): Promise<void> {
    const reply = await this.#ask(
      caller,
      requests.map(({ charge }) => charge),
    );
    for (const [index, { charge, resolve }] of requests.entries()) {
      const decision = reply?.decisions[index];
      resolve(
        reply && decision
          ? this.#verdictOf({ caller, cost: charge.cost, now: reply.at }, decision)
          : this.#admit(caller, charge),
      );
    }
  }

  /** Returns undefined when the store could not decide: it is unreachable, or has lost its data. */
  async #ask(caller: Caller, charges: readonly Charge[]): Promise<AdmitReply | undefined> {
    const workspace = this.#workspaces.get(caller.workspaceId);
    if (!this.#loader.isLoaded(caller.workspaceId, workspace)) return undefined;
    try {
      const reply = await this.#counts.admit(workspace, caller, charges);
      if (!reply) workspace.loadedIn = undefined;
      return reply;
    } catch {
      return undefined;
    }
  }

  #verdictOf(request: LimitRequest, decision: Decision): Verdict | Promise<Verdict> {
    const { caller, now: at } = request;
    const { outcome, counters, bannedUntil, refusalsBeforeBan } = decision;
    if (outcome === 'admitted') return { at, windows: viewsOf(counters, caller.limits, at) };
    const workspace = this.#workspaces.get(caller.workspaceId);
    if (outcome === 'ban') {
      return this.#unlessLifted(request, bannedVerdict(counters, request, bannedUntil));
    }
    const refused = { by: outcome, refusalsBeforeBan, bannedUntil };
    const verdict = refusedVerdict(counters, request, refused);
    return this.#banRecords.onceSaved(verdict, { caller, offenders: workspace.offenders });
  }

  #decideAlone(
    workspace: LocalWorkspace,
    caller: Caller,
    { cost, countedIn }: Charge,
  ): Verdict | Promise<Verdict> {
    const { policy } = this.#options;
    const now = this.#counts.now();
    if (countedIn) uncount(workspace.counters, countedIn);
    const request = { caller, cost, now };
    const banned = refuseBanned(workspace, request, policy);
    if (banned) return this.#unlessLifted(request, banned);
    if (cost === 0) return { at: now, windows: viewsOf(workspace.counters, caller.limits, now) };
    const refused = refuseExhausted(workspace, request, policy);
    if (!refused) return countRequest(workspace, request);
    if (hasBanned(refused)) workspace.unsharedBans.add(caller.keyId);
    return this.#banRecords.onceSaved(refused, { caller, offenders: workspace.offenders });
  }

  #bucketVerdict(bucket: string, perMinute: number, count: 0 | 1): Verdict | Promise<Verdict> {
    const decideAlone = () =>
      this.#buckets[count === 0 ? 'peek' : 'admit'](bucket, perMinute, this.#counts.now());
    if (!this.#store.isUp(bucketKey(bucket))) return decideAlone();
    return this.#counts
      .admitBucket(bucket, perMinute, count)
      .then(({ isRefused, at, ...used }) => {
        if (count > 0) this.#buckets.learn(bucket, used, at);
        return bucketVerdict(used, { perMinute, now: at, isRefused });
      })
      .catch(decideAlone);
  }

  #unlessLifted({ caller, cost }: LimitRequest, banned: Verdict): Verdict | Promise<Verdict> {
    const { keyId, workspaceId } = caller;
    const { offenders } = this.#workspaces.get(workspaceId);
    return this.#banRecords.unlessLifted(banned, { caller, offenders }, async () => {
      await this.#liftShared(workspaceId, keyId);
      return this.admit(caller, cost);
    });
  }

  async #liftShared(workspaceId: number, keyId: string): Promise<void> {
    const offender = this.#workspaces.get(workspaceId).offenders.get(keyId);
    if (offender && this.#counts.now() < offender.until) liftBan(offender);
    if (!this.#store.isUp(workspaceKey(workspaceId))) return;
    // A store that fails now is corrected when the next request of the key is rechecked.
    await this.#counts.lift({ workspaceId, keyId }).catch(() => {});
  }
}
