import { expect, test } from 'vitest';
import { MemoryLimiter } from '../../src/limits/memory/memory-limiter.ts';
import { repeats } from '../support/effort.ts';
import { seed as firstSeed } from '../support/seed.ts';
import { type Client, COST_MAX, History, rules, type Subject, VirtualClock } from './history.ts';
import { LimitDatabase } from './limit-database.ts';
import type { ModelWindow } from './reference-model.ts';

const decisionsWanted = repeats({ usual: 100_000, thorough: 10_000_000 });
const DECISIONS_PER_HISTORY = 100_000;
const WORKSPACES = 12;

test(`takes no wrong decision in ${decisionsWanted}, seeds from ${firstSeed} on`, {
  timeout: 300_000 + decisionsWanted / 10,
}, async () => {
  const total = { decisions: 0, refusals: 0, bans: 0, forfeited: 0, lifted: 0 };
  for (let seed = firstSeed; total.decisions < decisionsWanted; seed++) {
    const subject = new MemorySubject();
    const history = new History(seed, subject, WORKSPACES);
    const wanted = Math.min(DECISIONS_PER_HISTORY, decisionsWanted - total.decisions);
    await history.run(wanted).catch((err: unknown) => {
      throw new Error(`SEED=${seed}: ${err instanceof Error ? err.message : err}`);
    });
    await subject.limiter().close();
    total.decisions += history.decisions;
    total.refusals += history.refusals;
    total.bans += history.bans;
    total.forfeited += subject.forfeited;
    total.lifted += subject.lifted;
  }
  console.log(`seeds from ${firstSeed} on:`, total);
  expect(total.bans).toBeGreaterThan(decisionsWanted / 2_000);
  expect(total.forfeited).toBeGreaterThan(0);
  expect(total.lifted).toBeGreaterThan(0);
});

/** A memory limiter, and what can happen to its process. */
class MemorySubject implements Subject {
  readonly clock = new VirtualClock();
  readonly db = new LimitDatabase();
  #connection = this.db.connect();
  #limiter = this.#open();
  forfeited = 0;
  lifted = 0;

  limiter = () => this.#limiter;
  events = [
    (history: History) => this.#sweep(history),
    (history: History) => this.#restart(history, 'crash'),
    (history: History) => this.#restart(history, 'stop'),
    (history: History) => this.#liftElsewhere(history),
  ];

  #open(): MemoryLimiter {
    const onStoreFailure = (err: unknown) => {
      throw err;
    };
    const { clock } = this;
    return new MemoryLimiter({ store: this.#connection, clock, policy: rules, onStoreFailure });
  }

  /** A sweep changes no decision, except that refusals it has dropped stay dropped. */
  async #sweep({ clients }: History): Promise<void> {
    await this.#limiter.sweep();
    for (const { caller, model } of clients) {
      const key = model.key(caller.keyId);
      if (this.clock.at - key.quietSince >= 60_000) key.refusedAt = [];
    }
  }

  async #restart({ clients }: History, how: 'crash' | 'stop'): Promise<void> {
    if (how === 'crash') this.#connection.cut();
    await this.#limiter.close();
    for (const client of clients) {
      this.#adoptCounters(client, how === 'stop');
      this.#adoptBan(client);
      client.widest = client.caller.limits;
    }
    this.#connection = this.db.connect();
    this.#limiter = this.#open();
  }

  /**
   * An operator lifts the ban in the database. The limiter notices when a second has passed since it
   * last looked: a request before the lift makes it look, and one after it notices.
   */
  async #liftElsewhere(history: History): Promise<void> {
    const banned = history.clients.filter(({ caller, model }) => {
      const { endsAt = 0 } = model.key(caller.keyId).ban ?? {};
      return endsAt > this.clock.at && this.db.bans.get(caller.keyId)?.until === endsAt;
    });
    if (banned.length === 0) return;
    const client = history.pick(banned);
    const { keyId } = client.caller;
    await history.request(client);
    this.db.bans.get(keyId)!.until = 0;
    this.clock.at += 1_000;
    client.model.lift(keyId);
    await history.request(client);
    this.lifted += 1;
  }

  /** The model goes on from what was written, after a check that it is within bounds. */
  #adoptCounters({ caller, model, widest }: Client, isExact: boolean): void {
    const row = this.db.counters.get(caller.workspaceId);
    if (!row) return;
    const smaller = Math.min(widest.perMinute, widest.perDay);
    const ahead = isExact ? 0 : Math.max(COST_MAX, Math.floor(smaller / 20));
    this.forfeited += adopt(model.minute, row.minuteStart, row.minuteUsed, ahead);
    this.forfeited += adopt(model.day, row.dayStart, row.dayUsed, ahead);
  }

  #adoptBan({ caller, model }: Client): void {
    const key = model.key(caller.keyId);
    const row = this.db.bans.get(caller.keyId);
    if (key.ban && key.ban.endsAt > this.clock.at) {
      if (row?.strikes !== key.strikes) throw new Error('a strike was lost');
      if (row.until < key.ban.endsAt) throw new Error('a ban was shortened');
    }
    key.refusedAt = [];
    key.strikes = row?.strikes ?? 0;
    key.quietSince = row?.quietSince ?? 0;
    const length = rules.ladderMs[(row?.strikes ?? 0) - 1] ?? rules.ladderMs.at(-1)!;
    key.ban = row && { endsAt: row.until, length };
  }
}

function adopt(window: ModelWindow, start: number, used: number, aheadMax: number): number {
  const forfeited = used - window.admitted.length;
  if (forfeited < 0) throw new Error(`${-forfeited} requests were given back`);
  if (forfeited > aheadMax) throw new Error(`${forfeited} requests were forfeited`);
  if (start + window.length < window.endsAt) throw new Error('a window was shortened');
  window.endsAt = start + window.length;
  while (window.admitted.length < used) window.admitted.push(start);
  return forfeited;
}
