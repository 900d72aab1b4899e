import type { StoredBan } from '../domain/ban.ts';
import type { Caller } from '../domain/key.ts';
import { type BanPolicy, banEnd, banOf, isUnsaved, liftBan, type Offender } from './ban.ts';
import type { ActiveBan, LimitStore, Verdict } from './limiter.ts';
import { hasBanned } from './workspace-limits.ts';

interface BanRecordsOptions {
  store: LimitStore;
  policy: BanPolicy;
  onStoreFailure: (err: unknown) => void;
}

/** Whose request was refused, among the keys of its workspace. */
interface Refused {
  caller: Caller;
  offenders: Map<string, Offender>;
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

  /** The bans in force of a workspace. */
  async list(now: number, workspaceId: number): Promise<ActiveBan[]> {
    const bans = await this.#store.listBans(now, workspaceId);
    return bans.map((ban) => this.view(ban, now));
  }

  view(ban: StoredBan, now: number): ActiveBan {
    return { ...ban, until: banEnd(ban, now, this.#options.policy) };
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

  /** The refusal, once the ban is saved to which it has led, if it has. */
  onceSaved(refused: Verdict, { caller, offenders }: Refused): Verdict | Promise<Verdict> {
    if (!hasBanned(refused)) return refused;
    const { keyId, workspaceId } = caller;
    return this.save(keyId, workspaceId, offenders.get(keyId)!).then(() => refused);
  }

  /**
   * The refusal of a banned key, unless another process has lifted the ban: then what `decide` returns. Asks the database
   * at most once a second.
   */
  unlessLifted(
    banned: Verdict,
    { caller, offenders }: Refused,
    decide: () => Verdict | Promise<Verdict>,
  ): Verdict | Promise<Verdict> {
    const offender = offenders.get(caller.keyId)!;
    const age = banned.at - offender.recheckedAt;
    if (age >= 0 && age < RECHECK_MS) return banned;
    offender.recheckedAt = banned.at;
    return this.#isLifted(caller, offender).then((isLifted) => (isLifted ? decide() : banned));
  }

  async #isLifted({ keyId, workspaceId }: Caller, offender: Offender): Promise<boolean> {
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
