// A database for limiters, in plain maps. What was written outlives the limiter that wrote it.

import type { Ban } from '../../src/domain/ban.ts';
import type { Counters } from '../../src/domain/plan.ts';
import type { LimitStore } from '../../src/limits/limiter.ts';

export interface BanRow extends Ban {
  workspaceId: number;
}

export class LimitDatabase {
  readonly counters = new Map<number, Counters>();
  readonly bans = new Map<string, BanRow>();
  /** Requests of the usage report, by workspace; of any day. */
  readonly admitted = new Map<number, number>();
  writes = 0;

  /** An operator lifts a ban. False when the key is not banned. */
  liftBan(keyId: string, now: number): boolean {
    const row = this.bans.get(keyId);
    if (!row || row.until <= now) return false;
    row.until = 0;
    return true;
  }

  connect(): LimitConnection {
    return new LimitConnection(this);
  }
}

/** What one process sees of the database. */
export class LimitConnection implements LimitStore {
  readonly #db: LimitDatabase;
  #isCut = false;
  /** While this is set, every call fails with it. */
  failure: Error | undefined;
  /** While this is set, every call waits for it. */
  gate: Promise<void> | undefined;

  constructor(db: LimitDatabase) {
    this.#db = db;
  }

  /** Loses the writes that are still to come, as a killed process does. */
  cut(): void {
    this.#isCut = true;
  }

  async load(workspaceId: number) {
    await this.#pass();
    const counters = this.#db.counters.get(workspaceId);
    const bans = [...this.#db.bans]
      .filter(([, ban]) => ban.workspaceId === workspaceId)
      .map(([keyId, ban]) => ({ keyId, ...ban }));
    return counters ? { counters: { ...counters }, bans } : { bans };
  }

  async countAdmitted(workspaceId: number) {
    await this.#pass();
    return this.#db.admitted.get(workspaceId) ?? 0;
  }

  async saveCounters(workspaceId: number, counters: Counters) {
    const row = { ...counters };
    await this.#write(() => this.#db.counters.set(workspaceId, row));
  }

  async saveBan(keyId: string, workspaceId: number, ban: Ban) {
    const row = { ...ban, workspaceId };
    await this.#write(() => this.#db.bans.set(keyId, row));
  }

  async findBan(keyId: string) {
    await this.#pass();
    const row = this.#db.bans.get(keyId);
    return row && { keyId, ...row };
  }

  async listBans(now: number, workspaceId?: number) {
    await this.#pass();
    return [...this.#db.bans]
      .map(([keyId, ban]) => ({ keyId, ...ban }))
      .filter((ban) => ban.until > now && (workspaceId ?? ban.workspaceId) === ban.workspaceId);
  }

  async #pass(): Promise<void> {
    await this.gate;
    if (this.failure) throw this.failure;
  }

  async #write(change: () => void): Promise<void> {
    await this.#pass();
    if (this.#isCut) return;
    this.#db.writes += 1;
    change();
  }
}
