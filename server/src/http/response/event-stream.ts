// One stream of Server-Sent Events. It holds one page of events at most: it writes a piece, waits until the client has taken it, and
// reads on. A client that takes nothing for a while is cut off; it comes back with the id of the last event it has.

import type { Writable } from 'node:stream';
import { Refusal } from '../../domain/errors.ts';
import type { StreamBatch, StreamSource } from '../../operations/stream.ts';

export interface StreamTimes {
  /** After this long without output, a heartbeat is sent. */
  heartbeatMs: number;
  /** How long a client may take nothing of what was written. */
  stuckMs: number;
  /** After a failed read, when to try again. */
  retryReadMs: number;
  /** How long the stream lasts. */
  lifeMs: number;
}

export const usualTimes: Omit<StreamTimes, 'lifeMs'> = {
  heartbeatMs: 15_000,
  stuckMs: 30_000,
  retryReadMs: 1_000,
};

const RETRY_MS = 3_000;
/** Small, so that a client which takes little is seen to take something. */
const PIECE_LENGTH = 16_384;
const HEARTBEAT = ':\n\n';
const LEAVE_MS = 500;

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
  #farewell = '';

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
    const unsubscribe = this.#source.subscribe(() => this.#notice());
    const end = () => this.#end();
    const life = setTimeout(end, this.#times.lifeMs).unref();
    output.on('close', end).on('error', end);
    try {
      await this.#write(`retry: ${RETRY_MS}\nid: ${this.#source.start}\n\n`);
      while (!this.#isOver) await this.#sendNext();
    } finally {
      clearTimeout(life);
      unsubscribe();
      if (output.destroyed) output.off('close', end);
      else output.end(this.#farewell);
    }
  }

  /** Ends the stream and tells the client when to come back. */
  stop(retryMs: number): void {
    this.#farewell = `retry: ${Math.round(retryMs)}\n\n`;
    this.#end();
    // A client that takes nothing does not hold up the stop.
    setTimeout(() => this.#output.destroy(), LEAVE_MS).unref();
  }

  async #sendNext(): Promise<void> {
    this.#isWoken = false;
    const batch = await this.#read();
    if (this.#isOver) return;
    if (!batch) return this.#rest(this.#times.retryReadMs);
    if (batch.blocks.length > 0) await this.#sendEvents(batch);
    this.#cursor = batch.cursor;
    if (!batch.hasMore) await this.#rest(Number.POSITIVE_INFINITY);
  }

  /** Undefined while storage does not answer. The stream stays, so that its client does not come back all the time. */
  async #read(): Promise<StreamBatch | undefined> {
    try {
      return await this.#source.read();
    } catch (err) {
      if (isForGood(err)) this.#end();
      return undefined;
    }
  }

  async #sendEvents({ blocks, lastId }: StreamBatch): Promise<void> {
    let piece = '';
    for (const block of blocks) {
      piece += block;
      if (piece.length < PIECE_LENGTH) continue;
      await this.#sendIfAllowed(piece);
      piece = '';
    }
    if (piece !== '') await this.#sendIfAllowed(piece);
    this.#sent = lastId!;
  }

  async #sendIfAllowed(text: string, isEvent = true): Promise<void> {
    if (this.#isOver) return;
    const isAllowed = await this.#source.isAllowed().catch(() => undefined);
    if (isAllowed === false) this.#end();
    // An event that cannot be sent now ends the stream too: it must not be passed over.
    if (isAllowed === undefined && isEvent) this.#end();
    if (!this.#isOver) await this.#write(text);
  }

  /** Waits for news. Every client hears something now and then, so that it and the proxies on the way keep the connection. */
  async #rest(forMs: number): Promise<void> {
    if (this.#isWoken || this.#isOver) return;
    const heartbeatInMs = this.#heartbeatAt - performance.now();
    const isHeartbeat = heartbeatInMs <= forMs;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(0, Math.min(heartbeatInMs, forMs))).unref();
    });
    clearTimeout(timer);
    if (!isHeartbeat || this.#isOver || performance.now() < this.#heartbeatAt) return;
    const isBehind = this.#sent !== this.#cursor;
    this.#sent = this.#cursor;
    await this.#sendIfAllowed(isBehind ? `id: ${this.#cursor}\n\n` : HEARTBEAT, false);
  }

  /** Resolves when the client has taken the text, or never will. */
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

  #notice(): void {
    this.#isWoken = true;
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}

/** A refusal, such as a place that is no longer kept: the client gets it when it comes back. */
function isForGood(err: unknown): boolean {
  return err instanceof Refusal;
}
