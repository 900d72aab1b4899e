// Kills nodes, and what they depend on, while they deliver to webhooks, starts them again, and compares what the receiver got with the feed:
// nothing lost, nothing that is not in the feed, nothing out of order but the repetition that a kill allows, every signature
// valid, and never two requests at once for one webhook.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Faults } from './checks/checkers.ts';
import { newRandom } from './random.ts';
import { Service } from './service.ts';
import { settled } from './settled.ts';
import type { Store } from './store.ts';

export interface DeliveriesOptions {
  store: Store;
  cycles: number;
  webhooks: number;
  writers: number;
  /** How many nodes serve the store; one if absent. */
  nodes?: number;
  /** Breaks what the nodes depend on, in every second cycle. */
  alsoBreak?: (() => Promise<void>) | undefined;
  onCycle?: (done: number) => void;
}

export interface DeliveriesReport {
  kills: number;
  events: number;
  delivered: number;
  repeated: number;
  faults: Faults;
}

/** What one webhook got. */
interface Line {
  id: number;
  secret: string;
  inFlight: number;
  /** The number that must come next, unless a kill allows a repetition. */
  next: number;
  /** The epoch of the run when the last request came. */
  epoch: number;
  repeated: number;
  /** The text of each event by its number. */
  events: Map<number, string>;
}

interface Progress {
  behind: number;
}

const CATCH_UP_MS = 120_000;
/** A request that has no answer by then never gets one. */
const GIVE_UP_MS = 60_000;
const SETTLE_MS = 100;
/** Slower than a webhook that gets each event by itself. */
const WRITE_EVERY_MS = 50;
const KILL_AFTER_MS = [300, 3_000] as const;

export async function breakDeliveries(options: DeliveriesOptions): Promise<DeliveriesReport> {
  const { store, cycles, onCycle } = options;
  await using cleanUp = new AsyncDisposableStack();
  const run = new Run(store);
  await run.listen();
  cleanUp.defer(() => run.close());
  const nodes: Service[] = [];
  cleanUp.defer(async () => void (await Promise.all(nodes.map((node) => node.end('SIGKILL')))));
  const start = async () => void nodes.push(await Service.start(store));
  await Promise.all(Array.from({ length: options.nodes ?? 1 }, start));
  run.ports = nodes.map(({ port }) => port);
  await run.createWebhooks(options.webhooks);
  const writers = Array.from({ length: options.writers }, (_, at) => run.write(at));
  const random = newRandom();
  let kills = 0;
  while (kills < cycles) {
    const [least, most] = KILL_AFTER_MS;
    await pause(least + random() * (most - least));
    // While the database is away no cursor is saved, so the repetition may begin before it is back.
    run.epoch += 1;
    if (kills % 2 === 1) await options.alsoBreak?.();
    const at = kills % nodes.length;
    const ended = await nodes[at]!.kill();
    run.faults.push(...ended);
    // With a service that ends by itself there is nothing to compare.
    if (ended.length > 0) return { ...run.report(), kills };
    kills += 1;
    // What the dead process has sent is still being read.
    await pause(SETTLE_MS);
    run.epoch += 1;
    nodes[at] = await Service.start(store);
    run.ports[at] = nodes[at].port;
    onCycle?.(kills);
  }
  run.isOver = true;
  await Promise.all(writers);
  await run.compare();
  return { ...run.report(), kills };
}

class Run {
  /** Advances with everything after which the last deliveries may come again. */
  epoch = 0;
  ports: number[] = [];
  isOver = false;
  readonly faults: string[] = [];
  readonly #lines = new Map<string, Line>();
  /** The names of the categories whose creation was acknowledged. */
  readonly #acknowledged = new Set<string>();
  readonly #store: Store;
  readonly #random = newRandom();
  #url = '';
  #events = 0;
  readonly #server = createServer(async (request, response) => {
    const line = this.#lines.get(request.url ?? '');
    const chunks: Buffer[] = [];
    if (line) line.inFlight += 1;
    // The sender may be killed at any byte.
    response.on('close', () => {
      if (line) line.inFlight -= 1;
    });
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString('utf8');
    if (line) this.#take(line, body, request.headers as Record<string, string>);
    await pause(this.#random() * 5);
    response.end();
  });

  constructor(store: Store) {
    this.#store = store;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as { port: number };
    this.#url = `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.isOver = true;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Every second one takes batches. */
  async createWebhooks(count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      const batchMax = at % 2 === 0 ? 1 : 10;
      const input = { url: `${this.#url}/${at}`, after: '0', batchMax, perSecondMax: 100 };
      const { id, secret } = (await this.#settle('POST', '/webhooks', input)) as Line;
      const counts = { inFlight: 0, next: 1, epoch: 0, repeated: 0 };
      this.#lines.set(`/${at}`, { id, secret, ...counts, events: new Map() });
    }
  }

  /** Writes until the run is over; what a kill cuts off is not repeated. */
  async write(writer: number): Promise<void> {
    const random = newRandom();
    for (let count = 0; !this.isOver; count++) {
      const name = `${writer} ${count} ${random()}`;
      await this.#send('POST', '/categories', { name }).then(
        ({ status }) => status === 201 && this.#acknowledged.add(name),
        () => undefined,
      );
      await pause(WRITE_EVERY_MS);
    }
  }

  /** Waits until all is delivered, and compares it with the feed. */
  async compare(): Promise<void> {
    const giveUpAt = performance.now() + CATCH_UP_MS;
    for (const line of this.#lines.values()) {
      for (;;) {
        const { behind } = (await this.#settle('GET', `/webhooks/${line.id}`)) as Progress;
        if (behind === 0) break;
        if (performance.now() > giveUpAt) {
          this.faults.push(`webhook ${line.id} is ${behind} events behind and stays there`);
          break;
        }
        await pause(100);
      }
    }
    const feed = await this.#readFeed();
    this.#events = feed.size;
    const created = new Set([...feed.values()].map((text) => JSON.parse(text).data.category?.name));
    if (this.#acknowledged.size === 0) this.faults.push('no write was acknowledged');
    for (const name of this.#acknowledged.difference(created)) {
      this.faults.push(`category ${name} was acknowledged and has no event`);
    }
    for (const [path, { events }] of this.#lines) {
      for (const [sequence, text] of feed) {
        const got = events.get(sequence);
        if (got === undefined) this.faults.push(`${path}: event ${sequence} was lost`);
        else if (got !== text) this.faults.push(`${path}: event ${sequence} differs: ${got}`);
      }
      for (const sequence of events.keys()) {
        if (!feed.has(sequence)) this.faults.push(`${path}: event ${sequence} is not in the feed`);
      }
    }
  }

  report(): Omit<DeliveriesReport, 'kills'> {
    const lines = [...this.#lines.values()];
    const sum = (of: (line: Line) => number) => lines.reduce((total, line) => total + of(line), 0);
    return {
      events: this.#events,
      delivered: sum(({ events }) => events.size),
      repeated: sum(({ repeated }) => repeated),
      faults: this.faults,
    };
  }

  #take(line: Line, body: string, headers: Record<string, string>): void {
    const fault = (text: string) => this.faults.push(`webhook ${line.id}: ${text}`);
    if (line.inFlight > 1) fault('two requests at once');
    try {
      new Webhook(line.secret).verify(body, headers);
    } catch (err) {
      fault(`a signature is not valid: ${String(err)}`);
    }
    const message = JSON.parse(body);
    const events = message.type === 'events.batch' ? message.data.events : [message];
    for (const event of events) this.#takeEvent(line, event, fault);
    line.epoch = this.epoch;
  }

  #takeEvent(line: Line, event: { sequence: number }, fault: (text: string) => void): void {
    const { sequence } = event;
    if (sequence > line.next) fault(`event ${sequence} came in place of ${line.next}`);
    if (sequence < line.next) {
      const isNew = line.epoch === this.epoch;
      if (isNew && line.events.size > 0) fault(`event ${sequence} came again without a kill`);
    }
    if (line.events.has(sequence)) line.repeated += 1;
    line.events.set(sequence, JSON.stringify(event));
    line.next = sequence + 1;
    line.epoch = this.epoch;
  }

  async #readFeed(): Promise<Map<number, string>> {
    const feed = new Map<number, string>();
    for (let after = '0'; ; ) {
      const page = (await this.#settle('GET', `/events?after=${after}`)) as {
        sequence: number;
        id: string;
      }[];
      for (const event of page) feed.set(event.sequence, JSON.stringify(event));
      if (page.length === 0) return feed;
      after = page.at(-1)!.id;
      // The feed may be read 60 times a minute.
      await pause(1_000);
    }
  }

  /** Sends a request until the service is not overloaded. Throws if it fails. */
  async #settle(method: string, path: string, body?: unknown): Promise<unknown> {
    const key = randomUUID();
    const { status, text } = await settled(
      () => this.#send(method, path, body, key),
      ({ status }) => status === 503,
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  async #send(method: string, path: string, body?: unknown, key?: string) {
    const port = this.ports[Math.floor(this.#random() * this.ports.length)];
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#store.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(body === undefined || key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}
