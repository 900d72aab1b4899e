// Random histories: requests of many workspaces and keys, plan changes, clock jumps, bans, lifts,
// sweeps, stops and crashes. Every verdict is compared with the reference model.

import type { Caller } from '../../src/domain/key.ts';
import type { Limits } from '../../src/domain/plan.ts';
import type { Limiter, Verdict } from '../../src/limits/limiter.ts';
import type { LimitDatabase } from './limit-database.ts';
import { type Expected, ModelWorkspace, type Rules } from './reference-model.ts';

export const rules: Rules = {
  refusalsToBan: 30,
  ladderMs: [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000],
};

const plans: readonly Limits[] = [
  { perMinute: 60, perDay: 1_000 },
  { perMinute: 300, perDay: 10_000 },
  { perMinute: 1_000, perDay: 1_200 },
  { perMinute: 5, perDay: 50_000 },
  { perMinute: 20, perDay: 45 },
  { perMinute: 1, perDay: 3 },
];

export const COST_MAX = 7;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

export class VirtualClock {
  at = Date.UTC(2031, 4, 6, 23, 50);
  now = (): number => this.at;
}

export interface Client {
  caller: Caller;
  model: ModelWorkspace;
  /** The largest limits that the workspace has had since the last start. */
  widest: Limits;
}

export interface Subject {
  limiter(): Limiter;
  clock: VirtualClock;
  db: LimitDatabase;
  /** What else can happen to this adapter. */
  events: ((history: History) => Promise<void>)[];
}

export class History {
  readonly random: () => number;
  readonly subject: Subject;
  readonly clients: Client[] = [];
  readonly pick = <T>(list: readonly T[]): T => list[Math.floor(this.random() * list.length)]!;
  decisions = 0;
  refusals = 0;
  bans = 0;
  #last: { client: Client; cost: number; retryAt: number } | undefined;

  constructor(seed: number, subject: Subject, workspaces: number) {
    this.random = generator(seed);
    this.subject = subject;
    for (let workspaceId = 1; workspaceId <= workspaces; workspaceId++) {
      const model = new ModelWorkspace(rules);
      const limits = this.pick(plans);
      for (let key = 0; key < 3; key++) {
        const caller = { keyId: `${workspaceId}.${key}`, workspaceId, scopes: [], limits };
        this.clients.push({ caller, model, widest: limits });
      }
    }
  }

  async run(decisions: number): Promise<void> {
    while (this.decisions < decisions) {
      await this.#burst(this.pick(this.clients));
      await this.#event();
    }
  }

  /** One client sends some requests, one after the other, fast or slowly. */
  async #burst(client: Client): Promise<void> {
    const length = 1 + Math.floor(this.random() ** 3 * 150);
    const pace = this.pick([0, 0, 1, 20, 700, 2_500]);
    for (let sent = 0; sent < length; sent++) {
      await this.request(client);
      this.subject.clock.at += Math.floor(this.random() * pace * 2);
    }
  }

  async request(client: Client): Promise<void> {
    const { caller, model } = client;
    const now = this.subject.clock.now();
    this.decisions += 1;
    if (this.random() < 0.05) {
      const verdict = await this.subject.limiter().peek(caller);
      this.#compare(verdict, model.peek(caller.keyId, caller.limits, now), client);
      return;
    }
    const { perMinute, perDay } = caller.limits;
    const most = Math.min(perMinute, perDay, COST_MAX);
    const cost = this.random() < 0.1 ? 1 + Math.floor(this.random() * most) : 1;
    const decided = this.subject.limiter().admit(caller, cost);
    const verdict = decided instanceof Promise ? await decided : decided;
    const expected = model.admit(caller.keyId, caller.limits, cost, now);
    this.#compare(verdict, expected, client);
    if (expected.by) this.#noteRefusal(client, cost, verdict, expected);
    else if (cost === 1 && this.random() < 0.05) await this.#readmit(client, verdict);
  }

  /** The whole cost of the request becomes known. */
  async #readmit(client: Client, admitted: Verdict): Promise<void> {
    const { caller, model } = client;
    const { perMinute, perDay } = caller.limits;
    const cost = 1 + Math.floor(this.random() * Math.min(perMinute, perDay, COST_MAX));
    const verdict = await this.subject.limiter().readmit(caller, cost, admitted);
    const now = this.subject.clock.now();
    const expected = model.readmit(caller.keyId, caller.limits, cost, now);
    this.#compare(verdict, expected, client);
    if (expected.by) this.#noteRefusal(client, cost, verdict, expected);
  }

  #noteRefusal(client: Client, cost: number, { refusal }: Verdict, { by, left }: Expected): void {
    this.refusals += 1;
    if (by !== 'ban' && left === 0) this.bans += 1;
    this.#last = { client, cost, retryAt: refusal!.retryAt };
  }

  async #event(): Promise<void> {
    const { clock, events } = this.subject;
    const dice = this.random();
    if (dice < 0.35) clock.at += Math.floor(this.random() ** 4 * 200 * SECOND);
    else if (dice < 0.45) await this.#retry();
    else if (dice < 0.5) this.#changePlan();
    else if (dice < 0.55) clock.at += this.pick([-1, 1]) * this.pick([1, 10, 70]) * SECOND;
    else if (dice < 0.57) clock.at += this.pick([-1, 1, 1]) * this.pick([HOUR, DAY, 1.5 * DAY]);
    else if (dice < 0.6) await this.#lift(this.pick(this.clients));
    else if (dice < 0.7) await this.pick(events)(this);
  }

  /** Checks Retry-After: the same request is refused a moment before it and admitted at it. */
  async #retry(): Promise<void> {
    if (!this.#last) return;
    const { client, cost, retryAt } = this.#last;
    const { clock, limiter } = this.subject;
    const { caller, model } = client;
    this.#last = undefined;
    const wait = retryAt - clock.at;
    const { perMinute, perDay } = caller.limits;
    if (wait <= 0 || cost > Math.min(perMinute, perDay)) return;
    const again = await limiter().admit(caller, cost);
    this.#compare(again, model.admit(caller.keyId, caller.limits, cost, clock.at), client);
    if (!again.refusal) return;
    clock.at = again.refusal.retryAt - (this.random() < 0.5 ? 0 : 1);
    const isEarly = clock.at < again.refusal.retryAt;
    const verdict = await limiter().admit(caller, cost);
    if ((verdict.refusal !== undefined) !== isEarly) this.#fail('Retry-After is not true', client);
    this.#compare(verdict, model.admit(caller.keyId, caller.limits, cost, clock.at), client);
    this.decisions += 2;
  }

  #changePlan(): void {
    const { workspaceId } = this.pick(this.clients).caller;
    const limits = this.pick(plans);
    for (const client of this.clients) {
      if (client.caller.workspaceId !== workspaceId) continue;
      client.caller.limits = limits;
      client.widest = {
        perMinute: Math.max(client.widest.perMinute, limits.perMinute),
        perDay: Math.max(client.widest.perDay, limits.perDay),
      };
    }
  }

  async #lift(client: Client): Promise<void> {
    const { caller, model } = client;
    const { db, clock, limiter } = this.subject;
    if (db.liftBan(caller.keyId, clock.at)) {
      await limiter().lift(caller.keyId);
      model.lift(caller.keyId);
    } else if (model.isBanned(caller.keyId, clock.at)) this.#fail('not saved', client);
  }

  #compare(verdict: Verdict, expected: Expected, client: Client): void {
    const [minute, day] = verdict.windows;
    const { refusal } = verdict;
    const isSame =
      refusal?.by === expected.by &&
      refusal?.retryAt === expected.retryAt &&
      refusal?.until === expected.until &&
      refusal?.refusalsBeforeBan === expected.left &&
      isSameView(minute, expected.minute) &&
      isSameView(day, expected.day);
    if (!isSame) this.#fail('wrong decision', client, verdict, expected);
  }

  #fail(what: string, { caller }: Client, ...facts: unknown[]): never {
    const shown = facts.map((fact) => JSON.stringify(fact)).join('\nmodel: ');
    throw new Error(
      `${what} at decision ${this.decisions}, time ${this.subject.clock.at}, key ${caller.keyId}, ` +
        `limits ${JSON.stringify(caller.limits)}\n${shown}`,
    );
  }
}

function isSameView(view: Verdict['windows'][number] | undefined, expected: Expected['minute']) {
  return (
    view?.limit === expected.limit &&
    view.remaining === expected.remaining &&
    view.resetAt === expected.resetAt
  );
}

/** Mulberry32: small, seeded, the same everywhere. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
