// Open-loop load: requests come at a rate, whether or not earlier ones were answered, as from buyers who know nothing of
// each other. A closed loop offers less as soon as the service is slow, so it shows no queue that grows without end.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { type BenchEffort, say } from './engines.ts';
import { answerLength, load, percentile } from './load.ts';
import { startService } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';

interface Offer {
  port: number;
  perSecond: number;
  seconds: number;
  /** The bytes of the next request. */
  request: () => string;
}

interface Offered {
  done: number;
  /** Done while requests came. What is done with the queue afterwards would flatter a service that builds up a long one. */
  donePerSecond: number;
  overloaded: number;
  unavailable: number;
  /** Neither answered within `ANSWER_MS` nor at all, or without a connection. */
  unanswered: number;
  /** The latencies of requests that were done, sorted, in milliseconds, and those of requests that got 503. */
  latencies: Float64Array;
  refusals: Float64Array;
}

const OPERATION = 'place an order';
const CLIENTS = [32, 64, 128, 256];
const TIMES = [1, 1.33, 2];
/** A client that waits for longer gives up. */
const ANSWER_MS = 5_000;
/** What Retry-After of a 503 says. The service reads nothing from a client that it has shed until then. */
const REST_MS = 1_000;
/** Below the usual limit of open files. */
const CONNECTIONS_MAX = 16_000;
/**
 * How many seconds of requests have a connection before the first is sent, as those of a proxy have. Node accepts one
 * connection in each round of its event loop, so a service that is busy would take seconds to accept as many.
 */
const OPEN_SECONDS = 1.2;
const OPENED_AT_ONCE = 100;
/** A service that does this share of what is offered may be able to do more. */
const CARRIED = 0.97;
const STEP = 1.25;

/** Finds the best load of one node, and offers it, a third more and twice as much. */
export async function offeredTable(effort: BenchEffort, seconds: number): Promise<string> {
  await using cleanUp = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([startPostgres({ isDurable: true }), startRedis()]);
  cleanUp.defer(async () => void (await Promise.all([postgres.stop(), redis.stop()])));
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const store = await prepareStore(effort.pets, urls, () => undefined);
  cleanUp.defer(store.remove);
  const service = await startService(store.environment);
  cleanUp.defer(service.stop);
  const scenario = scenariosOf(store, 'postgres').find(({ name }) => name === OPERATION)!;
  let sent = 0;
  const request = () => scenario.request(++sent);
  const port = service.ports[0]!;

  let best = 0;
  for (const connections of [CLIENTS[0]!, ...CLIENTS]) {
    const requests = Math.max(effort.requests, connections * 20);
    const { statuses, seconds } = await load({ ports: [port], connections, requests, request });
    best = Math.max(best, (statuses.get(scenario.status) ?? 0) / seconds);
  }
  const run = async (perSecond: number) => {
    const offered = await offer({ port, perSecond, seconds, request });
    const rates = [perSecond, offered.donePerSecond].map((rate) => rate.toFixed(0));
    say(`  ${OPERATION}, ${rates.join(' offered: ')} a second\n`);
    return { ...offered, perSecond };
  };
  // The clients of the closed loop take more of the machine than those of the open one.
  for (let rate = best; ; rate *= STEP) {
    const { donePerSecond } = await run(rate);
    best = Math.max(best, donePerSecond);
    if (donePerSecond < rate * CARRIED) break;
  }
  const lines = [
    '| offered/s | times the best | placed/s | of the best | overloaded | unavailable | without an answer | p99 ms | p99 ms of 503 |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const times of TIMES) {
    const found = await run(best * times);
    const cells = [
      found.perSecond.toFixed(0),
      times,
      found.donePerSecond.toFixed(0),
      `${((100 * found.donePerSecond) / best).toFixed(0)} %`,
      found.overloaded,
      found.unavailable,
      found.unanswered,
      percentile(found.latencies, 0.99).toFixed(0),
      percentile(found.refusals, 0.99).toFixed(0),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

async function offer({ port, perSecond, seconds, request }: Offer): Promise<Offered> {
  const total = Math.round(perSecond * seconds);
  const counts = { done: 0, overloaded: 0, unavailable: 0 };
  let doneInTime = 0;
  let startedAt = 0;
  const [latencies, refusals]: [number[], number[]] = [[], []];
  const idle: Connection[] = [];
  const all = new Set<Connection>();
  const onAnswer = (connection: Connection, answer: string, ms: number) => {
    const status = Number(answer.slice(9, 12));
    if (status !== 201 && status !== 503) throw new Error(`answered ${status}: ${answer}`);
    if (status === 201) idle.push(connection);
    else setTimeout(() => idle.push(connection), REST_MS);
    if (ms > ANSWER_MS) return;
    if (status === 201 && performance.now() < startedAt + seconds * 1_000) doneInTime += 1;
    if (status === 201) counts.done += 1;
    else counts[answer.includes('"overloaded"') ? 'overloaded' : 'unavailable'] += 1;
    (status === 201 ? latencies : refusals).push(ms);
  };
  const take = () => {
    for (let next = idle.pop(); next; next = idle.pop()) if (next.isOpen) return next;
    if (all.size === CONNECTIONS_MAX) return undefined;
    const connection = new Connection(port, onAnswer);
    all.add(connection);
    return connection;
  };
  const opened = Math.min(Math.ceil(perSecond * OPEN_SECONDS), CONNECTIONS_MAX);
  while (all.size < opened) {
    const next = Array.from({ length: OPENED_AT_ONCE }, () => new Connection(port, onAnswer));
    await Promise.all(next.map((connection) => connection.opened));
    for (const connection of next) all.add(connection);
    idle.push(...next);
  }
  startedAt = performance.now();
  for (let sent = 0; sent < total; await pause(1)) {
    const due = Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond);
    for (; sent < Math.min(due, total); sent++) take()?.send(request());
  }
  const endsAt = performance.now() + ANSWER_MS;
  const answered = () => counts.done + counts.overloaded + counts.unavailable;
  while (answered() < total && performance.now() < endsAt) await pause(10);
  await Promise.all([...all].map((connection) => connection.close()));
  return {
    ...counts,
    donePerSecond: doneInTime / seconds,
    unanswered: total - answered(),
    latencies: Float64Array.from(latencies).sort(),
    refusals: Float64Array.from(refusals).sort(),
  };
}

/** Has one request under way at a time. */
class Connection {
  readonly opened: Promise<unknown>;
  readonly #socket: Socket;
  #received = '';
  #sentAt = 0;

  constructor(port: number, onAnswer: (from: Connection, answer: string, ms: number) => void) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.opened = once(this.#socket, 'connect').catch(() => undefined);
    // A request whose connection fails has no answer.
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (chunk: string) => {
      this.#received += chunk;
      const length = answerLength(this.#received);
      if (length === undefined || this.#received.length < length) return;
      const answer = this.#received.slice(0, length);
      this.#received = this.#received.slice(length);
      onAnswer(this, answer, performance.now() - this.#sentAt);
    });
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  send(bytes: string): void {
    this.#sentAt = performance.now();
    this.#socket.write(bytes, 'latin1');
  }

  async close(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}
