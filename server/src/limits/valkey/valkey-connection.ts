import { ErrorReply } from '@redis/client';
import type { ValkeyAddress, ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { bucketScript, type Script } from './scripts.ts';
import { checkMaster, checkMode, explained, nameOf } from './server-check.ts';
import { type ClientSettings, type Reply, ValkeyClient } from './valkey-client.ts';

interface ValkeyConnectionOptions {
  /** Where the master is at the moment. */
  locate: () => Promise<ValkeyAddress>;
  topology: ValkeyTarget['topology'];
  settings: ClientSettings;
  /** How long the store may be silent while a call is under way. */
  silenceMaxMs: number;
  /** Called when the connection is lost, and for every attempt that fails. */
  onDown: (err: Error) => void;
  onUp: () => void;
}

export interface ScriptCall {
  script: Script;
  key: string;
  args: readonly string[];
  /** Whether a server that is importing the slot of the key may run it. */
  isAsking?: boolean;
}

/** A timer that fires later than this shows that this process was busy, not the store. */
const LATE_MS = 5;
/** A call and a connection get this time, or as long as the store may be silent if that is longer. */
const CALL_MAX_MS = 1_500;
const CONNECT_MAX_MS = 1_000;
const RETRY_MS = 50;
/** A server that became a replica, or another master, is noticed within this time and a round trip. */
const CHECK_MS = 1_000;
const PROBE: ScriptCall = {
  script: bucketScript,
  key: 'petstore:{probe}',
  args: ['', '1000000000', '1'],
};

let lastGeneration = 0;

/**
 * Keeps one connection to a master. No call waits for long: when the store is silent, too slow or fails a call, the
 * connection is closed, all calls under way are rejected, and a new connection is tried in the background. The store
 * is up again once it has said that it is a master and a script has written through it.
 */
export class ValkeyConnection {
  readonly #options: ValkeyConnectionOptions;
  readonly #callMaxMs: number;
  readonly #connectMaxMs: number;
  /** The connection in use, while the store is up. */
  #client: ValkeyClient | undefined;
  #connecting: ValkeyClient | undefined;
  #generation = ++lastGeneration;
  #callsUnderWay = 0;
  readonly #silence: NodeJS.Timeout;
  #silenceDueAt = 0;
  #heardAt = 0;
  #retry: NodeJS.Timeout | undefined;
  readonly #checks: NodeJS.Timeout;
  #isClosed = false;
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly tried: Promise<void>;

  constructor(options: ValkeyConnectionOptions) {
    this.#options = options;
    this.#callMaxMs = Math.max(CALL_MAX_MS, options.silenceMaxMs);
    this.#connectMaxMs = Math.max(CONNECT_MAX_MS, options.silenceMaxMs);
    this.#silence = setTimeout(() => this.#endSilence(), options.silenceMaxMs).unref();
    this.#checks = setInterval(() => this.check(), CHECK_MS).unref();
    this.tried = this.#connect();
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  /** Differs from that of every other connection, and changes whenever this one is lost or made. */
  get generation(): number {
    return this.#generation;
  }

  /** The server in use, while the store is up. */
  get address(): ValkeyAddress | undefined {
    return this.#client?.address;
  }

  /** Rejects if Valkey is unreachable, or becomes so before it has replied. */
  run(call: ScriptCall): Promise<number[]> {
    return this.#call((client) => evaluate(client, call));
  }

  send(words: readonly string[]): Promise<Reply> {
    return this.#ask((client) => client.send(words));
  }

  /** Leaves a server that is not the master any more. */
  check(): void {
    const client = this.#client;
    if (!client) return;
    const { locate, topology } = this.#options;
    const leave = (master: ValkeyAddress) => {
      if (nameOf(master) === nameOf(client.address)) return;
      client.close(new Error(`the master is ${nameOf(master)} now`));
    };
    // A Sentinel that does not answer is no reason to leave a master that does.
    locate().then(leave, () => {});
    this.#ask((used) => checkMaster(used, topology)).catch(() => {});
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    clearInterval(this.#checks);
    this.#connecting?.close(new Error('the limiter was closed'));
    this.#client?.close(new Error('the limiter was closed'));
  }

  async #call<T>(work: (client: ValkeyClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (!client) throw new Error('Valkey is unreachable');
    const startedAt = performance.now();
    this.#callsUnderWay += 1;
    if (this.#callsUnderWay === 1) this.#awaitReply(startedAt);
    try {
      const reply = await work(client);
      const now = performance.now();
      if (now - startedAt > this.#callMaxMs) client.close(new Error('Valkey is too slow'));
      else this.#awaitReply(now);
      return reply;
    } catch (err) {
      if (isRedirect(err)) this.#awaitReply(performance.now());
      else client.close(err as Error);
      throw err;
    } finally {
      this.#callsUnderWay -= 1;
    }
  }

  /** For what no request waits for: the server may take longer than for a call. */
  async #ask<T>(work: (client: ValkeyClient) => Promise<T>): Promise<T> {
    const client = this.#client;
    if (!client) throw new Error('Valkey is unreachable');
    const silent = new Error('Valkey did not reply in time');
    const timer = setTimeout(() => client.close(silent), this.#connectMaxMs);
    try {
      return await work(client);
    } catch (err) {
      client.close(err as Error);
      throw err;
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<void> {
    const { locate, settings, topology } = this.#options;
    let client: ValkeyClient | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      const address = await locate();
      if (this.#isClosed) return;
      const connectMaxMs = this.#connectMaxMs;
      const onClose = (err: Error) => this.#lose(explained(err, address));
      client = new ValkeyClient({ ...settings, address, connectMaxMs, onClose });
      this.#connecting = client;
      const kind = settings.isEncrypted ? 'TLS connection: does it have TLS?' : 'connection';
      const late = new Error(`${nameOf(address)} did not accept a ${kind}`);
      timer = setTimeout(() => client?.close(late), connectMaxMs);
      await client.opened;
      if (topology !== 'sentinel') await checkMode(client, topology);
      await checkMaster(client, topology);
      await evaluate(client, PROBE).catch(unlessRedirect);
      this.#use(client);
    } catch (err) {
      if (client) client.close(err as Error);
      else this.#lose(err as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  #use(client: ValkeyClient): void {
    if (this.#connecting !== client) return;
    this.#connecting = undefined;
    this.#client = client;
    this.#generation = ++lastGeneration;
    this.#options.onUp();
  }

  #lose(err: Error): void {
    if (this.#client) this.#generation = ++lastGeneration;
    this.#connecting = undefined;
    this.#client = undefined;
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#connect(), RETRY_MS).unref();
    this.#options.onDown(err);
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
      this.#client?.close(new Error('Valkey did not reply in time'));
      return;
    }
    this.#silenceDueAt = now + this.#options.silenceMaxMs;
    this.#silence.refresh();
  }
}

/** The server has not run the command: another one has the key. */
export function isRedirect(err: unknown): err is ErrorReply {
  return err instanceof ErrorReply && /^(MOVED|ASK) /.test(err.message);
}

function unlessRedirect(err: unknown): void {
  if (!isRedirect(err)) throw err;
}

/** The store may not know the script yet, or may have forgotten it; then its text is sent. */
async function evaluate(
  client: ValkeyClient,
  { script, key, args, isAsking = false }: ScriptCall,
): Promise<number[]> {
  const send = (command: string, body: string) => {
    // It holds for the next command of the connection, so both are sent together.
    if (isAsking) client.send(['ASKING']).catch(() => {});
    return client.send([command, body, '1', key, ...args]) as Promise<number[]>;
  };
  try {
    return await send('EVALSHA', script.digest);
  } catch (err) {
    if (!(err instanceof ErrorReply && err.message.startsWith('NOSCRIPT'))) throw err;
    return send('EVAL', script.text);
  }
}
