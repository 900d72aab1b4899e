// Limits and bans a second time, written differently: windows are lists of what was admitted. It is
// slow, and it shares nothing with the code under test.

export interface Expected {
  by?: 'minute' | 'day' | 'ban';
  retryAt?: number;
  until?: number;
  left?: number;
  minute: { limit: number; remaining: number; resetAt: number };
  day: { limit: number; remaining: number; resetAt: number };
}

export interface Rules {
  refusalsToBan: number;
  ladderMs: readonly number[];
}

type Limits = { perMinute: number; perDay: number };

const SIXTY_SECONDS = 60 * 1000;
const TWENTY_FOUR_HOURS = 24 * 3600 * 1000;

export class ModelWindow {
  readonly length: number;
  endsAt = 0;
  /** One entry for each unit of quota that was admitted. */
  admitted: number[] = [];

  constructor(length: number) {
    this.length = length;
  }

  /** No window may end later than its own length from now. */
  look(now: number): void {
    this.endsAt = Math.min(this.endsAt, now + this.length);
  }

  used(now: number): number {
    return now < this.endsAt ? this.admitted.length : 0;
  }

  add(now: number, cost: number, endOfNew: number): void {
    if (now >= this.endsAt) {
      this.endsAt = endOfNew;
      this.admitted = [];
    }
    for (let unit = 0; unit < cost; unit++) this.admitted.push(now);
  }
}

export interface ModelKey {
  refusedAt: number[];
  quietSince: number;
  strikes: number;
  ban: { endsAt: number; length: number } | undefined;
}

export class ModelWorkspace {
  readonly minute = new ModelWindow(SIXTY_SECONDS);
  readonly day = new ModelWindow(TWENTY_FOUR_HOURS);
  readonly keys = new Map<string, ModelKey>();
  readonly #rules: Rules;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  admit(keyId: string, limits: Limits, cost: number, now: number): Expected {
    const banned = this.#banned(keyId, limits, cost, now);
    if (banned) return banned;
    const by = this.#spent(limits, cost, now);
    if (by) return this.#refuse(keyId, limits, cost, now, by);
    this.minute.add(now, cost, now + SIXTY_SECONDS);
    this.day.add(now, cost, nextMidnight(now));
    return this.#views(limits, now);
  }

  /** Takes back one that was admitted a moment ago, and decides about all of it. */
  readmit(keyId: string, limits: Limits, cost: number, now: number): Expected {
    this.minute.admitted.pop();
    this.day.admitted.pop();
    return this.admit(keyId, limits, cost, now);
  }

  peek(keyId: string, limits: Limits, now: number): Expected {
    return this.#banned(keyId, limits, 0, now) ?? this.#views(limits, now);
  }

  key(keyId: string): ModelKey {
    const known = this.keys.get(keyId);
    if (known) return known;
    const key: ModelKey = { refusedAt: [], quietSince: 0, strikes: 0, ban: undefined };
    this.keys.set(keyId, key);
    return key;
  }

  isBanned(keyId: string, now: number): boolean {
    return now < (this.key(keyId).ban?.endsAt ?? 0);
  }

  lift(keyId: string): void {
    const key = this.key(keyId);
    key.ban = undefined;
    key.refusedAt = [];
  }

  #banned(keyId: string, limits: Limits, cost: number, now: number): Expected | undefined {
    this.minute.look(now);
    this.day.look(now);
    const key = this.key(keyId);
    const until = banEnd(key, now);
    if (until <= now) {
      key.ban = undefined;
      return undefined;
    }
    const retryAt = cost === 0 ? until : this.#fitsAt(limits, cost, until);
    return { by: 'ban', retryAt, until, left: 0, ...this.#views(limits, now) };
  }

  #refuse(keyId: string, limits: Limits, cost: number, now: number, by: 'minute' | 'day') {
    const key = this.key(keyId);
    const { refusalsToBan, ladderMs } = this.#rules;
    const strikes = now >= key.quietSince + TWENTY_FOUR_HOURS ? 0 : key.strikes;
    const isRecent = (at: number) => at > now - SIXTY_SECONDS && at <= now;
    const refusedAt = [...key.refusedAt.filter(isRecent), now];
    const isBan = refusedAt.length >= refusalsToBan;
    const length = ladderMs[strikes] ?? ladderMs.at(-1)!;
    key.quietSince = isBan ? now + length : now;
    key.strikes = isBan ? strikes + 1 : strikes;
    key.refusedAt = isBan ? [] : refusedAt;
    if (isBan) key.ban = { endsAt: now + length, length };
    return {
      by,
      retryAt: this.#fitsAt(limits, cost, isBan ? now + length : now),
      until: this[by].endsAt,
      left: refusalsToBan - refusedAt.length,
      ...this.#views(limits, now),
    };
  }

  #spent(limits: Limits, cost: number, at: number): 'minute' | 'day' | undefined {
    if (this.day.used(at) + cost > limits.perDay) return 'day';
    return this.minute.used(at) + cost > limits.perMinute ? 'minute' : undefined;
  }

  /** Tries the few instants at which something changes. */
  #fitsAt(limits: Limits, cost: number, from: number): number {
    const instants = [from, this.minute.endsAt, this.day.endsAt].filter((at) => at >= from);
    const first = instants.sort((a, b) => a - b).find((at) => !this.#spent(limits, cost, at));
    return first ?? Number.NaN;
  }

  #views({ perMinute, perDay }: Limits, now: number): Expected {
    const view = (window: ModelWindow, limit: number, endOfNew: number) => ({
      limit,
      remaining: Math.max(0, limit - window.used(now)),
      resetAt: now < window.endsAt ? window.endsAt : endOfNew,
    });
    return {
      minute: view(this.minute, perMinute, now + SIXTY_SECONDS),
      day: view(this.day, perDay, nextMidnight(now)),
    };
  }
}

/** A ban never ends later than its own length from now. */
function banEnd(key: ModelKey, now: number): number {
  if (!key.ban) return 0;
  key.ban.endsAt = Math.min(key.ban.endsAt, now + key.ban.length);
  return key.ban.endsAt;
}

function nextMidnight(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}
