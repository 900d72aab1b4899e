import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface ReaderOptions {
  port: number;
  /** A key for the next request: each may open a stream 60 times a minute. */
  nextKey: () => string;
}

const REFUSED_MS = 100;
/** Above the pause between two heartbeats. */
const SILENCE_MS = 60_000;

/** Reads a stream as EventSource does: an event counts once its empty line has come, and the next request names its id. */
export class ResumingReader {
  /** The text of every event, in the order of its arrival. */
  readonly events: { sequence: number; text: string }[] = [];
  readonly faults: string[] = [];
  opened = 0;
  isOver = false;
  readonly #options: ReaderOptions;
  #lastId = '0';
  #rest = '';

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get last(): number {
    return this.events.at(-1)?.sequence ?? 0;
  }

  /** Comes back after every cut until it is over. */
  async follow(): Promise<void> {
    while (!this.isOver && this.faults.length === 0) {
      this.#rest = '';
      const status = await this.#open();
      if (status === 200) this.opened += 1;
      else if (status === 429 || status === 503) await pause(REFUSED_MS);
      else if (status !== undefined) this.faults.push(`a stream was answered with ${status}`);
    }
  }

  /** Resolves with the status when the response has ended, in whatever way; undefined when there was none. */
  #open(): Promise<number | undefined> {
    return new Promise((resolve) => {
      const sent = request(
        {
          port: this.#options.port,
          host: '127.0.0.1',
          path: '/v1/events/stream',
          agent: false,
          headers: {
            authorization: `Bearer ${this.#options.nextKey()}`,
            'last-event-id': this.#lastId,
          },
        },
        (response) => {
          response.setEncoding('utf8');
          response.on('data', (text: string) => {
            if (response.statusCode === 200) this.#take(text);
            if (this.isOver) sent.destroy();
          });
          response.on('error', () => undefined);
          response.once('close', () => resolve(response.statusCode));
        },
      );
      sent.setTimeout(SILENCE_MS, () => sent.destroy());
      sent.on('error', () => undefined);
      sent.once('close', () => resolve(undefined));
      sent.end();
    });
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) {
      const id = /^id: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (id !== undefined) this.#lastId = id;
      if (data !== undefined) {
        this.events.push({ sequence: JSON.parse(data).sequence, text: data });
      }
    }
  }
}
