import { setTimeout as pause } from 'node:timers/promises';
import type { Coalescer } from '../../lib/coalescer.ts';
import { bucketScript, type Script } from './scripts.ts';
import { ValkeySocket } from './valkey-socket.ts';

interface ValkeyConnectionOptions {
  url: string;
  coalescer: Coalescer;
  /** How long the store may be silent while a call is under way. */
  silenceMaxMs: number;
  /** Called when the store becomes unreachable, once until it is back. */
  onFailure: (err: unknown) => void;
  onRecovery: () => void;
}

interface ScriptCall {
  script: Script;
  keys: string[];
  args: string[];
}

/** A timer that fires later than this shows that this process was busy, not the store. */
const LATE_MS = 5;
/** A call and a connection get this time, or as long as the store may be silent if that is longer. */
const CALL_MAX_MS = 1_500;
const CONNECT_MAX_MS = 1_000;
const RETRY_MS = 50;
const READY_MAX_MS = 1_000;
const PROBE: ScriptCall = {
  script: bucketScript,
  keys: ['petstore:{probe}'],
  args: ['', '1000000000', '1'],
};

/**
 * Keeps one connection to Valkey or Redis. No call waits for long: when the store is silent, too slow
 * or fails a call, the connection is closed, all calls under way are rejected, and a new connection
 * is tried in the background. The store is up again once a script has written through it.
 */
export class ValkeyConnection {
  readonly #options: ValkeyConnectionOptions;
  readonly #callMaxMs: number;
  readonly #connectMaxMs: number;
  /** The connection in use, while the store is up. */
  #socket: ValkeySocket | undefined;
  #connecting: ValkeySocket | undefined;
  #generation = 0;
  #callsUnderWay = 0;
  readonly #silence: NodeJS.Timeout;
  #silenceDueAt = 0;
  #heardAt = 0;
  #retry: NodeJS.Timeout | undefined;
  #isReported = false;
  #isClosed = false;

  constructor(options: ValkeyConnectionOptions) {
    this.#options = options;
    this.#callMaxMs = Math.max(CALL_MAX_MS, options.silenceMaxMs);
    this.#connectMaxMs = Math.max(CONNECT_MAX_MS, options.silenceMaxMs);
    this.#silence = setTimeout(() => this.#endSilence(), options.silenceMaxMs).unref();
    this.#connect();
  }

  get isUp(): boolean {
    return this.#socket !== undefined;
  }

  /** Changes each time that Valkey becomes unreachable or reachable. */
  get generation(): number {
    return this.#generation;
  }

  /** Resolves when the store is up, or after a second. */
  async ready(): Promise<void> {
    for (let waitedMs = 0; !this.isUp && waitedMs < READY_MAX_MS; waitedMs += 10) await pause(10);
  }

  /** Rejects if Valkey is unreachable, or becomes so before it has replied. */
  async run(script: Script, keys: string[], args: string[]): Promise<number[]> {
    const socket = this.#socket;
    if (!socket) throw new Error('Valkey is unreachable');
    const startedAt = performance.now();
    this.#callsUnderWay += 1;
    if (this.#callsUnderWay === 1) this.#awaitReply(startedAt);
    try {
      const reply = await evaluate(socket, { script, keys, args });
      const now = performance.now();
      if (now - startedAt > this.#callMaxMs) socket.close(new Error('Valkey is too slow'));
      else this.#awaitReply(now);
      return reply;
    } catch (err) {
      socket.close(err as Error);
      throw err;
    } finally {
      this.#callsUnderWay -= 1;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#connecting?.close(new Error('the limiter was closed'));
    this.#socket?.close(new Error('the limiter was closed'));
  }

  #connect(): void {
    const { url, coalescer } = this.#options;
    const socket = new ValkeySocket({ url, coalescer, onClose: (err) => this.#lose(err) });
    this.#connecting = socket;
    const giveUp = () => socket.close(new Error('Valkey did not accept a connection'));
    const timer = setTimeout(giveUp, this.#connectMaxMs);
    evaluate(socket, PROBE)
      .then(() => this.#use(socket))
      .catch((err: Error) => socket.close(err))
      .finally(() => clearTimeout(timer));
  }

  #use(socket: ValkeySocket): void {
    // The store may have run the script although it had refused the password or the database before.
    if (this.#connecting !== socket) return;
    this.#connecting = undefined;
    this.#socket = socket;
    this.#generation += 1;
    if (this.#isReported) this.#options.onRecovery();
    this.#isReported = false;
  }

  #lose(err: Error): void {
    if (this.#socket) this.#generation += 1;
    this.#connecting = undefined;
    this.#socket = undefined;
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.#connect(), RETRY_MS).unref();
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.onFailure(err);
  }

  /** Any reply shows that the store is at work, so one timer serves all calls. */
  #awaitReply(now: number): void {
    this.#heardAt = now;
    this.#silenceDueAt = now + this.#options.silenceMaxMs;
    this.#silence.refresh();
  }

  #endSilence(): void {
    if (this.#callsUnderWay === 0) return;
    const now = performance.now();
    const isLate = now - this.#silenceDueAt > LATE_MS && now - this.#heardAt < this.#callMaxMs;
    if (!isLate) {
      this.#socket?.close(new Error('Valkey did not reply in time'));
      return;
    }
    this.#silenceDueAt = now + this.#options.silenceMaxMs;
    this.#silence.refresh();
  }
}

/** The store may not know the script yet, or may have forgotten it; then its text is sent. */
async function evaluate(
  socket: ValkeySocket,
  { script, keys, args }: ScriptCall,
): Promise<number[]> {
  const rest = [String(keys.length), ...keys, ...args];
  try {
    return (await socket.send(['EVALSHA', script.digest, ...rest])) as number[];
  } catch (err) {
    if (!(err instanceof Error && err.message.startsWith('NOSCRIPT'))) throw err;
    return (await socket.send(['EVAL', script.text, ...rest])) as number[];
  }
}
