// Buyers on several nodes of one PostgreSQL race for last units: in each round exactly one buyer gets the unit. Then a
// crowd orders all units of one pet.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Client, type Request } from './client.ts';
import { onCluster } from './engines.ts';
import { isUnknown } from './history.ts';
import { Service } from './service.ts';
import { readAll } from './state.ts';

export interface RaceOptions {
  nodes: number;
  rounds: number;
  /** Buyers of the last sale, twice as many as there are units. */
  crowd: number;
  /** Puts a PgBouncer in front of PostgreSQL. */
  pooling?: 'session' | 'transaction';
  onRound?: (done: number) => void;
}

export interface RaceReport {
  rounds: number;
  sold: number;
  /** Orders that were answered 503 and may have taken effect. */
  unknown: number;
  faults: string[];
}

/** Rounds that run at the same time, each over its own connections. */
const LANES = 4;
const BUYERS_PER_NODE = 2;
const RETRY_MS = 500;
/** A service that still answers 503 by then is no longer overloaded, but broken. */
const GIVE_UP_MS = 120_000;

export async function race(options: RaceOptions): Promise<RaceReport> {
  await using engine = await onCluster(options.pooling);
  const store = await engine.newStore();
  const services = await Promise.all(
    Array.from({ length: options.nodes }, () => Service.start(store)),
  );
  const report: RaceReport = { rounds: 0, sold: 0, unknown: 0, faults: [] };
  const newBuyer = (n: number) => new Client(services[n % services.length]!.port, store.apiKey);
  try {
    const owner = newBuyer(0);
    const categoryId = await create(owner, '/v1/categories', { name: 'Dogs' });
    const lane = async () => {
      const buyers = Array.from({ length: options.nodes * BUYERS_PER_NODE }, (_, n) => newBuyer(n));
      while (report.rounds < options.rounds && report.faults.length === 0) {
        report.rounds += 1;
        await raceOnce(buyers, categoryId, report);
        options.onRound?.(report.rounds);
      }
      for (const buyer of buyers) buyer.close();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const buyers = Array.from({ length: options.crowd }, (_, n) => newBuyer(n));
    await sellToCrowd(buyers, categoryId, report);
    for (const buyer of buyers) buyer.close();
    owner.close();
    return report;
  } finally {
    await Promise.all(services.map((service) => service.end('SIGINT')));
    store.remove();
  }
}

/** A new pet has one unit. */
async function raceOnce(buyers: readonly Client[], categoryId: number, report: RaceReport) {
  const name = `Pet ${report.rounds}`;
  const petId = await create(buyers[0]!, '/v1/pets', { name, categoryId });
  await sell({ petId, units: 1, buyers, report });
}

async function sellToCrowd(buyers: readonly Client[], categoryId: number, report: RaceReport) {
  const [owner] = buyers;
  const petId = await create(owner!, '/v1/pets', { name: 'Popular', categoryId });
  const units = buyers.length / 2;
  const path = `/v1/inventory/${petId}`;
  await settle(owner!, { method: 'PATCH', path, body: { quantity: units } });
  await sell({ petId, units, buyers, report });
}

interface Sale {
  petId: number;
  units: number;
  buyers: readonly Client[];
  report: RaceReport;
}

/** Every buyer orders one unit. All units are sold and not one more, and every acknowledged order exists. */
async function sell({ petId, units, buyers, report }: Sale): Promise<void> {
  const orders = await Promise.all(buyers.map((buyer) => orderUnit(buyer, petId)));
  const acknowledged = orders.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const unknown = orders.reduce((sum, order) => sum + order.unknown, 0);
  const placed = await readAll<{ id: number }>(buyers[0]!, `/v1/store/orders?petId=${petId}`);
  const ids = new Set(placed.map(({ id }) => id));
  const { body } = await buyers[0]!.get(`/v1/inventory/${petId}`);
  const { reserved } = body as { reserved: number };
  report.sold += acknowledged.length;
  report.unknown += unknown;
  const isComplete = acknowledged.every((id) => ids.has(id));
  const isExact = acknowledged.length <= units && acknowledged.length + unknown >= units;
  if (isComplete && isExact && ids.size === units && reserved === units) return;
  report.faults.push(
    `${units} units, ${buyers.length} buyers: ${acknowledged.length} acknowledged, ${unknown} unknown, ${ids.size} orders, ${reserved} reserved`,
  );
}

/**
 * Orders one unit until the order is placed or refused. An overloaded service answers 503, and the next attempt is
 * another order. Counts the attempts that may have taken effect although they were answered 503.
 */
export async function orderUnit(buyer: Client, petId: number, giveUpMs = GIVE_UP_MS) {
  const giveUpAt = performance.now() + giveUpMs;
  for (let unknown = 0; ; ) {
    const answer = await post(buyer, '/v1/store/orders', { petId });
    const { status, text, body } = answer;
    if (status === 201) return { id: (body as { id: number }).id, unknown };
    if (status === 409) return { id: undefined, unknown };
    if (status !== 503 || performance.now() >= giveUpAt) {
      throw new Error(`an order was answered ${status}: ${text}`);
    }
    if (isUnknown(answer)) unknown += 1;
    await pause(RETRY_MS * (1 + Math.random()));
  }
}

async function post(client: Client, path: string, body: unknown): Promise<Answer> {
  const reply = await client.send({ method: 'POST', path, body });
  if (reply.kind !== 'answer') throw new Error(`${path}: ${JSON.stringify(reply)}`);
  return reply;
}

async function create(client: Client, path: string, body: unknown): Promise<number> {
  return ((await settle(client, { method: 'POST', path, body })) as { id: number }).id;
}

/** Sends a write until the service is not overloaded, and returns the body of its answer. */
async function settle(client: Client, request: Request): Promise<unknown> {
  const reply = await client.settle({ ...request, key: randomUUID() });
  if (reply.kind === 'answer' && reply.status < 300) return reply.body;
  throw new Error(`${request.path}: ${JSON.stringify(reply)}`);
}
