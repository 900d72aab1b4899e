// One pet that many buyers want, and that another session has locked or has not. The other workspaces must not notice: all
// of their requests succeed, with a p99 of orders and reads within twice that without a common pet. While the pet is locked, the buyers wait, and the
// quiet service is the measure. While it is free, they keep all processors busy, so the measure is the same crowd with a pet
// for each buyer.

import { setTimeout as pause } from 'node:timers/promises';
import { onDatabase, startPostgres, startRedis } from '../../server/test/support/servers.ts';
import { type Answer, Client, type Request } from '../client.ts';
import { Service } from '../service.ts';
import { newStore } from '../store.ts';

export interface HotPetOptions {
  buyers: number;
  secondsEach: number;
  onPhase?: (done: number) => void;
}

/** What the other workspace sees. Latencies are in milliseconds and sorted. */
export interface Experience {
  orders: number[];
  reads: number[];
  /** How often each status came that is no success. */
  failures: Map<number, number>;
}

/** What the buyers of the first workspace get. */
export interface Sales {
  sold: number;
  /** How often each status came that is no success. */
  failures: Map<number, number>;
}

/** What both workspaces see at the same time. */
export interface Phase {
  experience: Experience;
  sales: Sales;
}

export interface HotPetReport {
  quiet: Experience;
  locked: Phase;
  /** Each buyer has a pet. */
  spread: Phase;
  hot: Phase;
}

/** One to warm up, and the four of the report. */
export const PHASES = 5;
const SHOPPERS = 2;
const EVERY_MS = 20;
const STOCK = 1_000_000;
const LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

export async function heatPet(options: HotPetOptions): Promise<HotPetReport> {
  const { buyers, secondsEach } = options;
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const store = await newStore(urls);
  const service = await Service.start(store);
  try {
    const owner = new Client(service.port, store.apiKey);
    const body = { name: 'Other', plan: 'enterprise', limits: LIMITS };
    const created = await post(owner, '/v1/admin/workspaces', body);
    const otherKey = (created.body as { key: { key: string } }).key.key;
    const [hotPet, ...ownPets] = (await newPets(owner, 1 + buyers)) as [number, ...number[]];
    const [otherPet] = (await newPets(new Client(service.port, otherKey), 1)) as [number];
    let phases = 0;
    const shop = async () => {
      const seen = await watch({ port: service.port, key: otherKey, petId: otherPet, secondsEach });
      phases += 1;
      options.onPhase?.(phases);
      return seen;
    };
    const crowd = { port: service.port, key: store.apiKey, petIds: ownPets.map(() => hotPet) };
    await shop();
    const quiet = await shop();
    const locked = await onDatabase(postgres.url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [hotPet]);
      const phase = await during(crowd, shop);
      await client.query('ROLLBACK');
      return phase;
    });
    const spread = await during({ ...crowd, petIds: ownPets }, shop);
    const hot = await during(crowd, shop);
    owner.close();
    return { quiet, locked, spread, hot };
  } finally {
    await service.end('SIGINT');
    await Promise.all([postgres.stop(), redis.stop()]);
    store.remove();
  }
}

interface Crowd {
  port: number;
  key: string;
  /** What each buyer wants. */
  petIds: readonly number[];
}

/** Lets the crowd order its pets without a pause while the shop is watched. */
async function during(
  { port, key, petIds }: Crowd,
  shop: () => Promise<Experience>,
): Promise<Phase> {
  let isOver = false;
  const sales: Sales = { sold: 0, failures: new Map() };
  const buy = async (petId: number) => {
    const client = new Client(port, key);
    while (!isOver) {
      const { status } = await post(client, '/v1/store/orders', { petId });
      if (status === 201) sales.sold += 1;
      else countOne(sales.failures, status);
    }
    client.close();
  };
  const crowd = Promise.all(petIds.map(buy));
  const experience = await shop();
  isOver = true;
  await crowd;
  return { experience, sales };
}

interface Shop {
  port: number;
  key: string;
  petId: number;
  secondsEach: number;
}

/** Orders and reads at a steady pace, and measures each. */
async function watch({ port, key, petId, secondsEach }: Shop): Promise<Experience> {
  const experience: Experience = { orders: [], reads: [], failures: new Map() };
  const endsAt = performance.now() + secondsEach * 1_000;
  const measure = async (times: number[], send: () => Promise<Answer>) => {
    const sentAt = performance.now();
    const { status } = await send();
    times.push(performance.now() - sentAt);
    if (status >= 300) countOne(experience.failures, status);
  };
  const shopper = async () => {
    const client = new Client(port, key);
    while (performance.now() < endsAt) {
      await measure(experience.orders, () => post(client, '/v1/store/orders', { petId }));
      const list = { method: 'GET', path: '/v1/store/orders?limit=5' };
      await measure(experience.reads, () => ask(client, list));
      await pause(EVERY_MS);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: SHOPPERS }, shopper));
  experience.orders.sort((a, b) => a - b);
  experience.reads.sort((a, b) => a - b);
  return experience;
}

export function judgeHotPet({ quiet, locked, spread, hot }: HotPetReport): string[] {
  const { sold } = locked.sales;
  return [
    ...failuresIn('quiet', quiet.failures),
    ...compare('locked', locked.experience, quiet),
    ...failuresIn('spread', spread.experience.failures),
    ...compare('hot', hot.experience, spread.experience),
    ...(sold > 0 ? [`locked: ${sold} sold`] : []),
    ...(spread.sales.sold === 0 ? ['spread: nothing was sold'] : []),
    ...(hot.sales.sold === 0 ? ['hot: nothing was sold'] : []),
    ...Object.entries({ locked, spread, hot }).flatMap(([name, { sales }]) =>
      failuresIn(`the buyers, ${name}`, new Map([...sales.failures].filter(isNotShed))),
    ),
  ];
}

/** A buyer who waits too long for the pet is shed. */
function isNotShed([status]: [number, number]): boolean {
  return status !== 503;
}

function compare(name: string, experience: Experience, measure: Experience): string[] {
  const slow = (['orders', 'reads'] as const).flatMap((kind) => {
    if (experience[kind].length === 0) return [`${name}: no ${kind}`];
    if (measure[kind].length === 0) return [`${name}: no ${kind} to compare with`];
    const [now, before] = [p99(experience[kind]), p99(measure[kind])];
    return now > 2 * before ? [`${name}: p99 of ${kind} ${now} ms instead of ${before} ms`] : [];
  });
  return [...failuresIn(name, experience.failures), ...slow];
}

function failuresIn(name: string, failures: ReadonlyMap<number, number>): string[] {
  return [...failures].map(([status, count]) => `${name}: ${count} answered ${status}`);
}

function countOne(counts: Map<number, number>, status: number): void {
  counts.set(status, (counts.get(status) ?? 0) + 1);
}

/** NaN if there are none. */
export function p99(sorted: readonly number[]): number {
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN);
}

async function newPets(client: Client, count: number): Promise<number[]> {
  const category = await post(client, '/v1/categories', { name: 'Dogs' });
  const { id: categoryId } = category.body as { id: number };
  const ids: number[] = [];
  while (ids.length < count) {
    const { body } = await post(client, '/v1/pets', { name: 'Rex', categoryId });
    const { id } = body as { id: number };
    await client.send({ method: 'PATCH', path: `/v1/inventory/${id}`, body: { quantity: STOCK } });
    ids.push(id);
  }
  return ids;
}

function post(client: Client, path: string, body: unknown): Promise<Answer> {
  return ask(client, { method: 'POST', path, body });
}

async function ask(client: Client, request: Request): Promise<Answer> {
  const reply = await client.send(request);
  if (reply.kind !== 'answer') throw new Error(`${request.path}: ${JSON.stringify(reply)}`);
  return reply;
}
