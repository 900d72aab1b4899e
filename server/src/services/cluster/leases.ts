// Jobs that concern all workspaces are done by one node at a time. The node that has the lease of a job renews it; if the
// node stops or dies, another takes the lease within ten seconds.
//
// A node may believe for a moment too long that it has a lease: its process was suspended, or its answer was late. That does
// no harm, because each transaction of the job checks the number of the lease first and holds the lease until it ends.

import { JOB_LEASE_MS } from '../../datastore/cluster/leases.ts';
import type { Datastore } from '../../datastore/datastore.ts';
import { CLOCK_SKEW_MAX_MS, type Clock } from '../../lib/clock.ts';
import { PeriodicRun } from '../periodic-run.ts';
import { clockSkewMs } from '../storage-health.ts';

export const jobNames = ['clean-up', 'erasing', 'expiry', 'numbering', 'request-log'] as const;
export type JobName = (typeof jobNames)[number];

/** The store under a lease: its transactions reject with LeaseLost unless this node still does the job. */
export type LeasedStore = Pick<Datastore, 'read' | 'transact' | 'tidy'>;

/** Finds the store under the lease of a job; undefined while this node does not have the lease. */
export type FindLease = (job: JobName) => LeasedStore | undefined;

/** Another node does the job now. Nothing was written. */
export class LeaseLost extends Error {}

interface LeasesOptions {
  store: Datastore;
  clock: Clock;
  /** Those that this node does when it has their leases. */
  jobs: readonly JobName[];
  /** Another for every process. */
  holder: string;
  /** Throws unless this node agrees with the database on the time. */
  checkReady: () => Promise<void>;
  onFailure: (err: unknown) => void;
}

interface Held {
  number: number;
  /** By the monotonic clock, before the database was asked. */
  renewedAtMs: number;
}

const RENEW_MS = 2_000;

export class Leases {
  readonly #options: LeasesOptions;
  readonly #held = new Map<JobName, Held>();
  readonly #renewals: PeriodicRun;

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#renewals = new PeriodicRun(() => this.#renew(), { everyMs: RENEW_MS, onFailure });
  }

  /** Takes the leases that are free, and renews them until it is stopped. */
  start(): Promise<void> {
    return this.#renewals.start();
  }

  /** Gives all leases back. Stop the jobs first. */
  async stop(): Promise<void> {
    await this.#renewals.stop();
    await this.#giveUp().catch(this.#options.onFailure);
  }

  readonly find: FindLease = (job) => {
    const held = this.#held.get(job);
    if (!held || performance.now() - held.renewedAtMs >= JOB_LEASE_MS) return undefined;
    const { store } = this.#options;
    return {
      read: store.read,
      transact: (work, options) =>
        store.transact(async (tx) => {
          const before = this.#options.clock.now();
          const now = await tx.leases.check(job, held.number, before);
          if (now === undefined) throw new LeaseLost(`another node does the ${job}`);
          this.#refuseWrongClock(now, before);
          return work(tx);
        }, options),
      tidy: () => store.tidy(),
    };
  };

  /** The jobs that this node does, and those that no node does. */
  async survey(): Promise<{ held: JobName[]; missing: JobName[] }> {
    const { store, clock, jobs } = this.#options;
    const taken = await store.read.leases.taken(jobs, clock.now());
    return {
      held: jobs.filter((job) => this.find(job) !== undefined),
      missing: jobs.filter((job) => !taken.includes(job)),
    };
  }

  /** The clock may have jumped since the last renewal. */
  #refuseWrongClock(now: number, before: number): void {
    const skewMs = clockSkewMs(now, before, this.#options.clock.now());
    if (Math.abs(skewMs) <= CLOCK_SKEW_MAX_MS) return;
    throw new LeaseLost("the clock of this node differs from the database's");
  }

  async #renew(): Promise<void> {
    const { store, clock, jobs, holder, checkReady } = this.#options;
    try {
      await checkReady();
    } catch (err) {
      if (this.#held.size > 0) await this.#giveUp();
      throw err;
    }
    const renewedAtMs = performance.now();
    const request = { holder, nodeNow: clock.now() };
    const names = await store.read.leases.free({ ...request, names: jobs });
    const numbers =
      names.length === 0
        ? new Map<string, number>()
        : await store.transact((tx) => tx.leases.take({ ...request, names }));
    this.#held.clear();
    for (const job of jobs) {
      const number = numbers.get(job);
      if (number !== undefined) this.#held.set(job, { number, renewedAtMs });
    }
  }

  async #giveUp(): Promise<void> {
    this.#held.clear();
    const { store, clock, holder } = this.#options;
    await store.transact((tx) => tx.leases.release(holder, clock.now()));
  }
}
