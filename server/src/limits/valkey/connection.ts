// One connection to Valkey or Redis that never keeps a request waiting for long. A call has a
// budget, which is for silence: a store that answers other calls meanwhile is busy and will come to
// this one, and deciding without it would admit too much, so it gets a few budgets more. When several
// in a row fail or overrun it, or the connection is lost, the store counts as away: nobody waits for
// it any more, and it is tried in the background until a script has written again.

import { setTimeout as pause } from 'node:timers/promises';
import { bucketScript, type Script } from './scripts.ts';
import { ValkeySocket } from './socket.ts';

export interface ValkeyConnectionOptions {
  url: string;
  /** How long a call may take. */
  budgetMs: number;
  /** Called for a failed call, and when the store goes away. */
  onFailure: (err: unknown) => void;
  onRecovery: () => void;
}

/**
 * The budget is told in ticks. One that comes late tells of this process, not of the store; one in
 * which the store has answered somebody tells that it is at work.
 */
const TICKS = 2;
const LATE_MS = 5;
const LATE_TICKS_MAX = 20;
const HEARD_TICKS_MAX = 6;
/** A burst waits here rather than in the pipeline, where its own length would use up its budget. */
const IN_FLIGHT_MAX = 128;
/** How long it waits there: a store that cannot keep up is as good as away. */
const TURN_MAX_MS = 1_500;
const FAILURES_MAX = 2;
/** A hiccup fails all calls in flight at once; only failures that go on mean that it is away. */
const HICCUP_MS = 40;
const PROBE_MS = 100;
/**
 * A connection that stays silent for so long is replaced, as is one to a server that became
 * read-only.
 */
const SILENCE_MAX_MS = 1_000;
const READY_MAX_MS = 1_000;

export class ValkeyConnection {
  readonly #options: ValkeyConnectionOptions;
  #socket: ValkeySocket;
  #inFlight = 0;
  #heardAt = 0;
  readonly #waiting = new Set<(err?: Error) => void>();
  #failuresInRow = 0;
  #failingSince = 0;
  #isAway = true;
  #isReported = false;
  #isClosed = false;
  #prober: NodeJS.Timeout | undefined;

  constructor(options: ValkeyConnectionOptions) {
    this.#options = options;
    this.#socket = this.#open();
  }

  /** False while nothing should wait for the store. */
  get isUp(): boolean {
    return !this.#isAway;
  }

  async ready(): Promise<void> {
    for (let waitedMs = 0; this.#isAway && waitedMs < READY_MAX_MS; waitedMs += 10) {
      await pause(10);
    }
  }

  /** Rejects when the store fails, takes too long or is away. `compose` is called on sending. */
  async run(script: Script, keys: string[], compose: () => string[]): Promise<number[]> {
    if (this.#inFlight >= IN_FLIGHT_MAX) await this.#turn();
    if (this.#isAway) throw new Error('the limit store is away');
    this.#inFlight += 1;
    try {
      const reply = await this.#runInTime(script, keys, compose());
      this.#failuresInRow = 0;
      return reply;
    } catch (err) {
      this.#countFailure(err);
      throw err;
    } finally {
      this.#inFlight -= 1;
      for (const goOn of this.#waiting) {
        goOn();
        break;
      }
    }
  }

  /** Until a call that is in flight has ended, or the store has gone away. */
  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (err?: Error) => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        if (err) reject(err);
        else resolve();
      };
      const giveUp = () => {
        const err = new Error('the limit store cannot keep up');
        this.#countFailure(err);
        end(err);
      };
      const timer = setTimeout(giveUp, Math.max(TURN_MAX_MS, this.#options.budgetMs));
      this.#waiting.add(end);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#prober);
    this.#socket.destroy();
  }

  #open(): ValkeySocket {
    return new ValkeySocket({
      url: this.#options.url,
      onReady: () => this.#probeSoon(0),
      onLost: (err) => this.#goAway(err),
    });
  }

  #countFailure(err: unknown): void {
    const now = performance.now();
    if (this.#failuresInRow === 0) this.#failingSince = now;
    this.#failuresInRow += 1;
    if (this.#isAway) return;
    const isLasting = now - this.#failingSince >= HICCUP_MS;
    if (isLasting && this.#failuresInRow >= FAILURES_MAX) this.#goAway(err);
    else this.#options.onFailure(err);
  }

  #goAway(err: unknown): void {
    if (this.#isReported || this.#isClosed) return;
    this.#isAway = true;
    this.#isReported = true;
    this.#options.onFailure(err);
    for (const goOn of [...this.#waiting]) goOn();
    this.#probeSoon(PROBE_MS);
  }

  #probeSoon(delayMs: number, silentSince = performance.now()): void {
    clearTimeout(this.#prober);
    if (this.#isClosed) return;
    this.#prober = setTimeout(() => void this.#probe(silentSince), delayMs);
    this.#prober.unref();
  }

  async #probe(silentSince: number): Promise<void> {
    if (!this.#socket.isReady) return this.#probeSoon(PROBE_MS);
    try {
      await this.#runInTime(bucketScript, ['petstore:{probe}'], ['', '1000000000', '1']);
    } catch (err) {
      this.#goAway(err);
      const isReadOnly = err instanceof Error && err.message.startsWith('READONLY');
      const isSilent = performance.now() - silentSince > SILENCE_MAX_MS;
      if (!this.#isClosed && (isReadOnly || isSilent)) return this.#reopen();
      return this.#probeSoon(PROBE_MS, silentSince);
    }
    this.#failuresInRow = 0;
    this.#isAway = false;
    if (this.#isReported) this.#options.onRecovery();
    this.#isReported = false;
  }

  #reopen(): void {
    this.#socket.destroy();
    this.#socket = this.#open();
    this.#probeSoon(PROBE_MS);
  }

  #runInTime(script: Script, keys: string[], args: string[]): Promise<number[]> {
    return new Promise((resolve, reject) => {
      const tickMs = this.#options.budgetMs / TICKS;
      let ticks = 0;
      let lateTicks = 0;
      let heardTicks = 0;
      let due = performance.now() + tickMs;
      const timer = setTimeout(() => {
        const now = performance.now();
        if (now - due > LATE_MS && lateTicks < LATE_TICKS_MAX) lateTicks += 1;
        else if (this.#heardAt > due - tickMs && heardTicks < HEARD_TICKS_MAX) heardTicks += 1;
        else ticks += 1;
        due = now + tickMs;
        if (ticks < TICKS) timer.refresh();
        else reject(new Error('the limit store did not answer in time'));
      }, tickMs);
      this.#evaluate(script, keys, args)
        .then(resolve, reject)
        .finally(() => {
          this.#heardAt = performance.now();
          clearTimeout(timer);
        });
    });
  }

  /** The store may not know the script yet, or no longer; then it is sent along. */
  async #evaluate(script: Script, keys: string[], args: string[]): Promise<number[]> {
    const rest = [String(keys.length), ...keys, ...args];
    const socket = this.#socket;
    try {
      return (await socket.send(['EVALSHA', script.digest, ...rest])) as number[];
    } catch (err) {
      if (!(err instanceof Error && err.message.startsWith('NOSCRIPT'))) throw err;
      return (await socket.send(['EVAL', script.text, ...rest])) as number[];
    }
  }
}
