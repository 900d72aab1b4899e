// Writers that use the service as shops do: they create pets, restock, and place, complete and cancel orders. Some try
// a request as a dry run first. Half of the requests have an Idempotency-Key. Each writer has its own connection.

import { randomUUID } from 'node:crypto';
import { Client, type Reply, type Request } from './client.ts';
import type { Entry, History, Operation } from './history.ts';
import { newRandom, type Random } from './random.ts';

const SHARED_PETS = 8;
const OPENING_UNITS = 200;
const UNITS_MAX = 3;
/** More than is ever in stock, so the order is refused. */
const TOO_MANY_UNITS = 1_000_000;
const UNKNOWN_PET = 999_999_999;
/** The share of requests that are sent as a dry run first. */
const DRY_RUN_SHARE = 0.2;
/** A service that has not acknowledged a few writes by then hangs, even on a slow machine. */
const ACKNOWLEDGED_MS = 120_000;
const SHIP_FROM = Date.UTC(2030, 0, 1);

export class Workload {
  readonly history: History;
  readonly #apiKey: string;
  readonly #port: () => number;
  readonly #writers: Writer[];
  readonly #shop: Shop = { categoryId: 0, petIds: [] };
  #isRunning = false;
  #done: Promise<unknown> = Promise.resolve();

  /** `watch` gets every reply and its latency. */
  constructor(
    history: History,
    apiKey: string,
    port: () => number,
    writers: number,
    watch: Watch = () => undefined,
  ) {
    this.history = history;
    this.#apiKey = apiKey;
    this.#port = port;
    this.#writers = Array.from(
      { length: writers },
      () => new Writer(history, this.#shop, new Client(port, apiKey), watch),
    );
  }

  /** Creates the pets that all writers sell. */
  async open(): Promise<void> {
    const client = new Client(this.#port, this.#apiKey);
    const send = (request: Request) => client.settle(request);
    const reply = await send({ ...post('/v1/categories', { name: 'Dogs' }), key: randomUUID() });
    if (reply.kind !== 'answer' || reply.status !== 201) throw new Error('no category');
    this.#shop.categoryId = (reply.body as { id: number }).id;
    for (let count = 0; count < SHARED_PETS; count += 1) {
      const pet = this.history.begin(withKey(createPet(this.#shop.categoryId)));
      await this.history.attempt(pet, send);
      this.#shop.petIds.push(pet.id!);
      const stock = this.history.begin(withKey(adjustStock(pet.id!, OPENING_UNITS)));
      await this.history.attempt(stock, send);
    }
    client.close();
  }

  /** Starts the writers, which run until `stop`. A writer whose connection is refused waits a little. */
  start(): void {
    this.#isRunning = true;
    this.#done = Promise.all(this.#writers.map((writer) => writer.run(() => this.#isRunning)));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#done;
  }

  /** Waits for this many acknowledged writes since `before`, unless all services have ended. Returns a fault if they do not come. */
  async acknowledged(
    count: number,
    { before, services }: { before: number; services: readonly { isRunning: boolean }[] },
  ): Promise<string[]> {
    const giveUpAt = performance.now() + ACKNOWLEDGED_MS;
    const isEnough = () => this.history.count('ok') - before >= count;
    while (!isEnough() && services.some(({ isRunning }) => isRunning)) {
      if (performance.now() > giveUpAt) return [`not even ${count} writes were acknowledged`];
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return [];
  }

  /** Repeats every request with a key whose outcome is unknown. */
  async retry(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.retry()));
  }
}

type Watch = (reply: Reply, ms: number) => void;

interface Shop {
  categoryId: number;
  petIds: number[];
}

class Writer {
  readonly #history: History;
  readonly #shop: Shop;
  readonly #client: Client;
  readonly #watch: Watch;
  readonly #random = newRandom();
  #openOrders: { id: number; petId: number }[] = [];
  #unsettled: Entry[] = [];

  constructor(history: History, shop: Shop, client: Client, watch: Watch) {
    this.#watch = watch;
    this.#history = history;
    this.#shop = shop;
    this.#client = client;
  }

  async run(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      const operation = this.#next();
      if (this.#random() < DRY_RUN_SHARE) await this.#runDry(operation.request);
      const entry = this.#history.begin(this.#random() < 0.5 ? operation : withKey(operation));
      await this.#attempt(entry);
      if (entry.outcome === 'unknown' && entry.request.key) this.#unsettled.push(entry);
      if (entry.status === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.#client.close();
  }

  async retry(): Promise<void> {
    const send = (request: Request) => this.#client.settle(request);
    for (const entry of this.#unsettled) await this.#attempt(entry, send);
    this.#unsettled = this.#unsettled.filter(({ outcome }) => outcome === 'unknown');
  }

  /** A dry run is not part of the history: whatever it kept would be found as something that was not asked for. */
  async #runDry(request: Request): Promise<void> {
    await this.#client.send({ ...request, path: `${request.path}?dryRun=true` });
  }

  async #attempt(
    entry: Entry,
    send = (request: Request) => this.#client.send(request),
  ): Promise<void> {
    await this.#history.attempt(entry, async (request) => {
      const sentAt = performance.now();
      const reply = await send(request);
      this.#watch(reply, performance.now() - sentAt);
      return reply;
    });
    const { kind, outcome, isComplete, id, petId } = entry;
    if (kind !== 'placeOrder' || outcome !== 'ok' || isComplete) return;
    this.#openOrders.push({ id: id!, petId });
  }

  #next(): Operation {
    const random = this.#random;
    const roll = random();
    const petId = pick(this.#shop.petIds, random);
    if (roll < 0.03) return createPet(this.#shop.categoryId);
    if (roll < 0.2) return adjustStock(petId, 1 + Math.floor(random() * 5));
    if (roll < 0.24) return adjustStock(petId, -1);
    if (roll < 0.26) return placeOrder(petId, TOO_MANY_UNITS, false);
    if (roll < 0.28) return placeOrder(UNKNOWN_PET, 1, false);
    const order = this.#openOrders.length > 2 && roll > 0.6 ? this.#takeOrder() : undefined;
    if (order) return changeOrder(order, roll < 0.85 ? 'completeOrder' : 'cancelOrder');
    return placeOrder(petId, 1 + Math.floor(random() * UNITS_MAX), roll < 0.33);
  }

  /** Only the writer that placed an order changes it, once. */
  #takeOrder() {
    const at = Math.floor(this.#random() * this.#openOrders.length);
    return this.#openOrders.splice(at, 1)[0];
  }
}

let labels = 0;

function nextMark(): number {
  labels += 1;
  return labels;
}

function createPet(categoryId: number): Operation {
  const label = `pet ${nextMark()}`;
  const request = post('/v1/pets', { name: label, categoryId });
  return { kind: 'createPet', request, label, petId: 0, units: 1 };
}

function adjustStock(petId: number, units: number): Operation {
  const label = `adjustment ${nextMark()}`;
  const body = { delta: units, reason: 'torture', reference: label };
  const request = post(`/v1/inventory/${petId}/adjustments`, body);
  return { kind: 'adjustStock', request, label, petId, units };
}

export function placeOrder(petId: number, units: number, isComplete: boolean): Operation {
  const label = new Date(SHIP_FROM + nextMark() * 1_000).toISOString().replace('.000Z', 'Z');
  const body = { petId, quantity: units, shipDate: label, complete: isComplete };
  const request = post('/v1/store/orders', body);
  return { kind: 'placeOrder', request, label, petId, units, isComplete };
}

function changeOrder(
  { id, petId }: { id: number; petId: number },
  kind: 'completeOrder' | 'cancelOrder',
): Operation {
  const path = `/v1/store/orders/${id}`;
  const request: Request =
    kind === 'completeOrder'
      ? { method: 'PATCH', path, body: { complete: true } }
      : { method: 'DELETE', path };
  return { kind, request, label: `order ${id}`, petId, orderId: id, units: 0 };
}

function withKey(operation: Operation): Operation {
  return { ...operation, request: { ...operation.request, key: randomUUID() } };
}

function post(path: string, body: unknown): Request {
  return { method: 'POST', path, body };
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}
