import type { Caller } from '../domain/key.ts';
import { type BanPolicy, banEnd, banOf, isUnsaved, liftBan, type Offender } from './ban.ts';
import type { ActiveBan, LimitStore } from './limiter.ts';

interface BanRecordsOptions {
  store: LimitStore;
  policy: BanPolicy;
  onStoreFailure: (err: unknown) => void;
}

const RECHECK_MS = 1_000;

/** The bans in the database: saved before the refusal is sent, rechecked so that a lift is noticed. */
export class BanRecords {
  readonly #store: LimitStore;
  readonly #options: BanRecordsOptions;

  constructor(options: BanRecordsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** The bans in force, of one workspace or of all. */
  async list(now: number, workspaceId?: number): Promise<ActiveBan[]> {
    const bans = await this.#store.listBans(now, workspaceId);
    return bans.map((ban) => ({ ...ban, until: banEnd(ban, now, this.#options.policy) }));
  }

  /** Never rejects: a ban that could not be saved holds in memory and is saved when rechecked. */
  async save(keyId: string, workspaceId: number, offender: Offender): Promise<boolean> {
    const ban = banOf(offender);
    try {
      await this.#store.saveBan(keyId, workspaceId, ban);
      offender.saved = ban;
      return true;
    } catch (err) {
      this.#options.onStoreFailure(err);
      return false;
    }
  }

  /**
   * Asks the database, at most once a second, whether another process has lifted the ban. Resolves to
   * true if so. Returns undefined when the database was asked just now.
   */
  recheck(caller: Caller, offender: Offender, now: number): Promise<boolean> | undefined {
    const age = now - offender.recheckedAt;
    if (age >= 0 && age < RECHECK_MS) return undefined;
    offender.recheckedAt = now;
    return this.#recheck(caller, offender);
  }

  async #recheck({ keyId, workspaceId }: Caller, offender: Offender): Promise<boolean> {
    const { since, until } = offender;
    try {
      const stored = await this.#store.findBan(keyId);
      const isStored = stored?.since === since;
      const isLifted = isStored && stored.until < until && offender.since === since;
      if (isLifted) liftBan(offender);
      // It was never saved, or a clock that was set back has brought its end forward.
      else if (!isStored || stored.until > until) await this.save(keyId, workspaceId, offender);
      return isLifted;
    } catch (err) {
      this.#options.onStoreFailure(err);
      return false;
    }
  }

  /** Saves what has changed of keys that were ever banned. False when something was not saved. */
  async saveChanged(workspaceId: number, offenders: Map<string, Offender>): Promise<boolean> {
    const saves = [...offenders]
      .filter(([, offender]) => isUnsaved(offender))
      .map(([keyId, offender]) => this.save(keyId, workspaceId, offender));
    return (await Promise.all(saves)).every((isSaved) => isSaved);
  }
}
