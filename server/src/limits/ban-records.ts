import type { Caller } from '../domain/key.ts';
import { banOf, isUnsaved, liftBan, type Offender } from './ban.ts';
import type { LimitStore } from './limit-store.ts';

const RECHECK_MS = 1_000;

/**
 * Bans in the database: written before the answer that tells of them, read so that a lift is
 * noticed.
 */
export class BanRecords {
  readonly #store: LimitStore;
  readonly #onFailure: (err: unknown) => void;

  constructor(store: LimitStore, onFailure: (err: unknown) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /**
   * Never rejects: a ban that could not be written stands in memory, and is written when rechecked.
   */
  async save(keyId: string, workspaceId: number, offender: Offender): Promise<boolean> {
    const ban = banOf(offender);
    try {
      await this.#store.saveBan(keyId, workspaceId, ban);
      offender.saved = ban;
      return true;
    } catch (err) {
      this.#onFailure(err);
      return false;
    }
  }

  /**
   * An operator may have lifted the ban from another process, so the database is asked once a
   * second. Tells whether it was lifted; gives nothing to wait for when the database was asked just
   * now.
   */
  recheck(caller: Caller, offender: Offender, now: number): Promise<boolean> | undefined {
    const age = now - offender.recheckedAt;
    if (age >= 0 && age < RECHECK_MS) return undefined;
    offender.recheckedAt = now;
    return this.#recheck(caller, offender);
  }

  async #recheck({ keyId, workspaceId }: Caller, offender: Offender): Promise<boolean> {
    // The last refusal is the one that led to the ban and stays as it was, so it tells bans apart.
    const { since, until, lastRefusalAt } = offender;
    try {
      const stored = await this.#store.findBan(keyId);
      const isKnown = stored?.lastRefusalAt === lastRefusalAt;
      const isLifted = isKnown && stored.until < until && offender.lastRefusalAt === lastRefusalAt;
      if (isLifted) liftBan(offender);
      // It was never written, or not how it stands since the clock was set back.
      else if (!isKnown || stored.since !== since) await this.save(keyId, workspaceId, offender);
      return isLifted;
    } catch (err) {
      this.#onFailure(err);
      return false;
    }
  }

  /**
   * Writes what has changed for keys that were ever banned. False when something could not be
   * written.
   */
  async saveChanged(workspaceId: number, offenders: Map<string, Offender>): Promise<boolean> {
    const saves = [...offenders]
      .filter(([, offender]) => isUnsaved(offender))
      .map(([keyId, offender]) => this.save(keyId, workspaceId, offender));
    return (await Promise.all(saves)).every((isSaved) => isSaved);
  }
}
