// One stream of Server-Sent Events. It holds at most one page of events: it writes a chunk, waits until the client has
// read it, and goes on. A client that reads nothing for a while is disconnected. It reconnects with the id of its last
// event.

import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../../domain/errors.ts';
import type { StreamBatch, StreamedEvent, StreamSource } from '../../operations/success.ts';

interface StreamTimes {
  /** After this long without output, a heartbeat is sent. */
  heartbeatMs: number;
  /** How long a client may read nothing of what was written. */
  stuckMs: number;
  /** After a failed read, when to try again. */
  retryReadMs: number;
  /** How long the stream lasts. */
  lifeMs: number;
}

export const STREAM_TIMES: Omit<StreamTimes, 'lifeMs'> = {
  heartbeatMs: 15_000,
  stuckMs: 30_000,
  retryReadMs: 1_000,
};

const RETRY_MS = 3_000;
/** Small, so that a client which reads slowly is seen to read something. */
const CHUNK_LENGTH = 16_384;
const HEARTBEAT = ':\n\n';
const LINGER_MS = 500;

export class EventStream {
  readonly #output: Writable;
  readonly #source: Omit<StreamSource, 'open'>;
  readonly #times: StreamTimes;
  #isOver = false;
  #isWoken = false;
  #wake = () => {};
  #heartbeatAt = 0;
  /** The id that the client has. */
  #sent: string;
  /** The position up to which the feed has been read. */
  #cursor: string;
  #lastMessage = '';

  constructor(output: Writable, source: Omit<StreamSource, 'open'>, times: StreamTimes) {
    this.#output = output;
    this.#source = source;
    this.#times = times;
    this.#sent = source.start;
    this.#cursor = source.start;
  }

  /** Resolves when the stream has ended, for whatever reason. */
  async run(): Promise<void> {
    const output = this.#output;
    const unsubscribe = this.#source.subscribe(() => this.#onNewEvents());
    const end = () => this.#end();
    const life = setTimeout(end, this.#times.lifeMs).unref();
    output.on('close', end).on('error', end);
    try {
      await this.#write(`retry: ${RETRY_MS}\nid: ${this.#source.start}\n\n`);
      while (!this.#isOver) await this.#sendNext();
    } finally {
      clearTimeout(life);
      unsubscribe();
      if (!output.destroyed) output.end(this.#lastMessage);
    }
  }

  /** Ends the stream and sends the client its reconnection time. */
  stop(retryMs: number): void {
    this.#lastMessage = `retry: ${Math.round(retryMs)}\n\n`;
    this.#end();
    // A client that reads nothing does not delay the stop.
    setTimeout(() => this.#output.destroy(), LINGER_MS).unref();
  }

  async #sendNext(): Promise<void> {
    this.#isWoken = false;
    const batch = await this.#read();
    if (this.#isOver) return;
    if (batch) {
      await this.#sendEvents(batch.events);
      this.#cursor = batch.cursor;
    }
    const restMs = batch ? Number.POSITIVE_INFINITY : this.#times.retryReadMs;
    // SQLite answers at once: without a pause, nothing else would run until the end of the feed is reached.
    if (batch?.hasMore) await setImmediate();
    else await this.#rest(restMs);
    await this.#sendHeartbeatIfDue();
  }

  /** Undefined if storage fails. The stream stays open, so that clients do not reconnect in a loop. */
  async #read(): Promise<StreamBatch | undefined> {
    try {
      return await this.#source.read();
    } catch (err) {
      // A refusal is final, for example an expired cursor. The client gets it when it reconnects.
      if (err instanceof Refusal) this.#end();
      return undefined;
    }
  }

  async #sendEvents(events: readonly StreamedEvent[]): Promise<void> {
    let chunk = '';
    for (const { id, data } of events) {
      chunk += `id: ${id}\ndata: ${data}\n\n`;
      if (chunk.length < CHUNK_LENGTH) continue;
      await this.#sendIfAllowed(chunk);
      chunk = '';
    }
    if (chunk !== '') await this.#sendIfAllowed(chunk);
    this.#sent = events.at(-1)?.id ?? this.#sent;
  }

  async #sendIfAllowed(text: string, isEvent = true): Promise<void> {
    if (this.#isOver) return;
    const isAllowed = await this.#source.isAllowed().catch(() => undefined);
    if (isAllowed === false) this.#end();
    // An event that cannot be sent now ends the stream too: it must not be passed over.
    if (isAllowed === undefined && isEvent) this.#end();
    if (!this.#isOver) await this.#write(text);
  }

  /** Waits for new events, or until a heartbeat is due. */
  async #rest(forMs: number): Promise<void> {
    if (this.#isWoken || this.#isOver) return;
    const heartbeatInMs = this.#heartbeatAt - performance.now();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(0, Math.min(heartbeatInMs, forMs))).unref();
    });
    clearTimeout(timer);
  }

  /**
   * Clients and proxies then keep the connection open. While a filter passes nothing, the client gets the cursor: if it is
   * disconnected, it continues from there.
   */
  async #sendHeartbeatIfDue(): Promise<void> {
    if (this.#isOver || performance.now() < this.#heartbeatAt) return;
    const isBehind = this.#sent !== this.#cursor;
    this.#sent = this.#cursor;
    await this.#sendIfAllowed(isBehind ? `id: ${this.#cursor}\n\n` : HEARTBEAT, false);
  }

  /** Resolves when the client has read the text, or never will. */
  #write(text: string): Promise<void> {
    this.#heartbeatAt = performance.now() + this.#times.heartbeatMs;
    const output = this.#output;
    return new Promise((resolve) => {
      const stuck = setTimeout(() => output.destroy(), this.#times.stuckMs).unref();
      const done = () => {
        clearTimeout(stuck);
        output.off('close', done);
        resolve();
      };
      output.once('close', done);
      output.write(text, done);
    });
  }

  #onNewEvents(): void {
    this.#isWoken = true;
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}
