import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventView } from '../../../src/operations/views/event.ts';
import type { TestApp } from '../../support/app.ts';

/** A stream as EventSource reads it: events, the last id, and the time to come back after. */
export class StreamReader {
  readonly events: EventView[] = [];
  /** The events as they were sent. */
  readonly texts: string[] = [];
  lastId = '';
  retryMs = 0;
  comments = 0;
  isEnded = false;
  readonly #abort = new AbortController();
  #rest = '';

  static async open(
    app: Pick<TestApp, 'address' | 'key'>,
    search = '',
    headers: Record<string, string> = {},
  ): Promise<StreamReader> {
    const stream = new StreamReader();
    const response = await fetch(`${app.address}/v1/events/stream${search}`, {
      headers: { authorization: `Bearer ${app.key}`, accept: 'text/event-stream', ...headers },
      signal: stream.#abort.signal,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    void stream.#read(response.body!);
    return stream;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Waits until something holds. */
  async until(condition: (stream: StreamReader) => boolean): Promise<void> {
    while (!condition(this)) await pause(2);
  }

  async has(count: number): Promise<void> {
    await this.until(({ events }) => events.length >= count);
  }

  take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) this.#takeBlock(block);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) this.take(decoder.decode(chunk, { stream: true }));
    } catch {
      // Cut off.
    }
    this.isEnded = true;
  }

  #takeBlock(block: string): void {
    let data = '';
    for (const line of block.split('\n')) {
      const [name, value = ''] = line.split(/: ?(.*)/s, 2) as [string, string?];
      if (name === 'id') this.lastId = value;
      if (name === 'retry') this.retryMs = Number(value);
      if (name === 'data') data += value;
      if (name === '') this.comments += 1;
    }
    if (data === '') return;
    this.texts.push(data);
    this.events.push(JSON.parse(data));
  }
}

/** A stream on a socket of its own, which can be cut at any byte. */
export async function openRawStream(
  app: Pick<TestApp, 'address' | 'key'>,
  search: string,
  lastEventId?: string,
): Promise<Socket> {
  const { hostname, port } = new URL(app.address);
  const socket = connect(Number(port), hostname);
  const last = lastEventId ? `Last-Event-ID: ${lastEventId}\r\n` : '';
  socket.write(
    `GET /v1/events/stream${search} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n${last}\r\n`,
  );
  return socket;
}
