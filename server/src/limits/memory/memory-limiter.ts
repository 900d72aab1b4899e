// The limiter of one node: counters in memory, written to the database ahead of their use.
//
// A request is admitted only when the database already counts it: counters are written in blocks
// before they are used. After a crash the service goes on from what was written, so it forfeits at
// most a block and gives nothing back. The next block is written when half of the current one is used,
// so requests rarely wait; a clean stop writes what was used. While the database fails, counting goes
// on in memory, no request waits, and the write is retried every second.

import type { StoredBan } from '../../domain/ban.ts';
import type { Caller } from '../../domain/key.ts';
import { perDayAt } from '../../domain/plan.ts';
import type { Clock } from '../../lib/clock.ts';
import { type BanPolicy, liftBan, type Offender } from '../ban.ts';
import { BanRecords } from '../ban-records.ts';
import { Buckets } from '../buckets.ts';
import type { ActiveBan, Limiter, LimitStore, Verdict } from '../limiter.ts';
import { countedIn, openWindows, uncount, unopenedCounters, viewsOf } from '../window.ts';
import {
  countRequest,
  forgetOldRefusals,
  isQuiet,
  offendersOf,
  refuseBanned,
  refuseExhausted,
  type WorkspaceLimits,
} from '../workspace-limits.ts';
import { CounterWriter, type WrittenCounters } from './counter-writer.ts';
import { areSame, type GrantRules, isGranted, needsGrant, nextGrant } from './grant.ts';

interface MemoryLimiterOptions {
  store: LimitStore;
  clock: Clock;
  policy: BanPolicy;
  onStoreFailure: (err: unknown) => void;
}

interface WorkspaceState extends WorkspaceLimits, WrittenCounters {
  /** The start of the minute that was read from the database. */
  loadedMinuteStart: number;
}

const BUCKETS_MAX = 100_000;
const SWEEP_MS = 60_000;
/** A database refuses writes when too many wait. */
const BATCH = 256;

export class MemoryLimiter implements Limiter {
  readonly #store: LimitStore;
  readonly #clock: Clock;
  readonly #options: MemoryLimiterOptions;
  readonly #workspaces = new Map<number, WorkspaceState>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #buckets = new Buckets(BUCKETS_MAX);
  readonly #banRecords: BanRecords;
  readonly #writer: CounterWriter;
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: MemoryLimiterOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#banRecords = new BanRecords(options);
    this.#writer = new CounterWriter({ ...options, workspaces: this.#workspaces });
    this.#sweeper = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  /** The number of workspaces in memory. */
  get size(): number {
    return this.#workspaces.size;
  }

  admit(caller: Caller, cost: number): Verdict | Promise<Verdict> {
    const state = this.#workspaces.get(caller.workspaceId);
    if (!state) return this.#load(caller.workspaceId).then(() => this.admit(caller, cost));
    const { policy } = this.#options;
    const now = this.#clock.now();
    const request = { caller, cost, now };
    const banned = refuseBanned(state, request, policy);
    const { offenders } = state;
    if (banned) {
      const decide = () => this.admit(caller, cost);
      return this.#banRecords.unlessLifted(banned, { caller, offenders }, decide);
    }
    if (cost === 0) return { at: now, windows: viewsOf(state.counters, caller.limits, now) };
    const refused = refuseExhausted(state, request, policy);
    if (refused) return this.#banRecords.onceSaved(refused, { caller, offenders });
    // A new window has no grant, not even if a clock that was set back starts it where an old one did.
    if (openWindows(state.counters, now)) state.granted = unopenedCounters();
    if (!isGranted(state.counters, state.granted, cost) && !this.#writer.isFailing) {
      return this.#grant(state, caller, cost).then(() => this.admit(caller, cost));
    }
    const verdict = countRequest(state, request);
    const { counters, granted } = state;
    const isDue =
      this.#writer.isFailing || needsGrant(counters, granted, this.#rulesOf(state, caller));
    if (isDue && !state.saving) void this.#grant(state, caller, 0);
    return verdict;
  }

  readmit(caller: Caller, cost: number, admitted: Verdict): Verdict | Promise<Verdict> {
    const state = this.#workspaces.get(caller.workspaceId);
    if (state) uncount(state.counters, countedIn(admitted.windows));
    return this.admit(caller, cost);
  }

  peek(caller: Caller): Verdict | Promise<Verdict> {
    return this.admit(caller, 0);
  }

  admitBucket(bucket: string, perMinute: number): Verdict {
    return this.#buckets.admit(bucket, perMinute, this.#clock.now());
  }

  peekBucket(bucket: string, perMinute: number): Verdict {
    return this.#buckets.peek(bucket, perMinute, this.#clock.now());
  }

  bans(workspaceId: number): Promise<ActiveBan[]> {
    return this.#banRecords.list(this.#clock.now(), workspaceId);
  }

  view(ban: StoredBan): ActiveBan {
    return this.#banRecords.view(ban, this.#clock.now());
  }

  async lift(keyId: string): Promise<void> {
    const offender = this.#findOffender(keyId);
    if (offender && this.#clock.now() < offender.until) liftBan(offender);
  }

  /** Writes what was used, so that a clean stop forfeits nothing. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#writer.close();
    await this.#writeInBatches((id, state) => this.#settle(id, state));
  }

  /** Drops workspaces without a request for a minute; their next request loads them again. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    for (const state of this.#workspaces.values()) forgetOldRefusals(state, now);
    await this.#writeInBatches((id, state) => this.#tidy(id, state, now));
  }

  /** Stops after a batch of which nothing could be written: the database is unreachable. */
  async #writeInBatches(write: (id: number, state: WorkspaceState) => Promise<boolean>) {
    let batch: Promise<boolean>[] = [];
    for (const [id, state] of this.#workspaces) {
      batch.push(write(id, state));
      if (batch.length < BATCH) continue;
      if (!(await Promise.all(batch)).includes(true)) return;
      batch = [];
    }
    await Promise.all(batch);
  }

  async #tidy(workspaceId: number, state: WorkspaceState, now: number): Promise<boolean> {
    const isSettled = isQuiet(state, now)
      ? await this.#settle(workspaceId, state)
      : await this.#banRecords.saveChanged(workspaceId, state.offenders);
    // A request may have come during the write.
    if (isSettled && !state.saving && isQuiet(state, now)) this.#workspaces.delete(workspaceId);
    return isSettled;
  }

  /** Writes what was used. Requests that come meanwhile wait for a new grant. */
  async #settle(workspaceId: number, state: WorkspaceState): Promise<boolean> {
    while (state.saving) await state.saving;
    const areBansSaved = await this.#banRecords.saveChanged(workspaceId, state.offenders);
    while (state.saving) await state.saving;
    if (areSame(state.granted, state.counters)) return areBansSaved;
    state.granted = { ...state.counters };
    return (await this.#writer.write(workspaceId, state, state.granted)) && areBansSaved;
  }

  #load(workspaceId: number): Promise<void> {
    const known = this.#loading.get(workspaceId);
    if (known) return known;
    const loading = this.#store
      .load(workspaceId)
      .then(({ counters = unopenedCounters(), bans }) => {
        const granted = { ...counters };
        this.#workspaces.set(workspaceId, {
          counters,
          granted,
          loadedMinuteStart: counters.minuteStart,
          offenders: offendersOf(bans),
          saving: undefined,
        });
      })
      .finally(() => this.#loading.delete(workspaceId));
    this.#loading.set(workspaceId, loading);
    return loading;
  }

  /** Writes the next block, large enough for a request of `cost`. */
  async #grant(state: WorkspaceState, caller: Caller, cost: number): Promise<void> {
    if (state.saving) {
      await state.saving;
      return;
    }
    if (this.#writer.hasJustFailed()) return;
    const rules = { ...this.#rulesOf(state, caller), cost };
    const grant = nextGrant(state.counters, state.granted, rules);
    await this.#writer.write(caller.workspaceId, state, grant);
  }

  #findOffender(keyId: string): Offender | undefined {
    for (const { offenders } of this.#workspaces.values()) {
      const offender = offenders.get(keyId);
      if (offender) return offender;
    }
    return undefined;
  }

  #rulesOf({ counters, loadedMinuteStart }: WorkspaceState, { limits }: Caller): GrantRules {
    const { perMinute } = limits;
    return {
      limits: { perMinute, perDay: perDayAt(limits, this.#clock.now()) },
      isInherited: counters.minuteStart === loadedMinuteStart,
    };
  }
}
