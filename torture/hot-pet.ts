// One pet that many buyers want, and that another session has locked or has not. The other workspaces must not notice: no
// 503, and a p99 of orders and reads within twice that without a common pet. While the pet is locked, the buyers wait, and the
// quiet service is the measure. While it is free, they keep all processors busy, so the measure is the same crowd with a pet
// for each buyer.

import { setTimeout as pause } from 'node:timers/promises';
import { onDatabase, startPostgres, startRedis } from '../server/test/support/servers.ts';
import { type Answer, Client } from './client.ts';
import { Service } from './service.ts';
import { newStore } from './store.ts';

export interface HotPetOptions {
  buyers: number;
  secondsEach: number;
}

/** What the other workspace sees. Latencies are in milliseconds and sorted. */
export interface Experience {
  orders: number[];
  reads: number[];
  unavailable: number;
}

export interface HotPetReport {
  quiet: Experience;
  locked: Experience;
  spread: Experience;
  hot: Experience;
  /** Orders of the hot pet that were placed while it was not locked. */
  sold: number;
  faults: string[];
}

const SHOPPERS = 2;
const EVERY_MS = 20;
const STOCK = 1_000_000;
const LIMITS = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

export async function heatPet({ buyers, secondsEach }: HotPetOptions): Promise<HotPetReport> {
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
    const shop = () => watch({ port: service.port, key: otherKey, petId: otherPet, secondsEach });
    const crowd = { port: service.port, key: store.apiKey, petIds: ownPets.map(() => hotPet) };
    await shop();
    const quiet = await shop();
    const locked = await onDatabase(postgres.url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [hotPet]);
      const { experience } = await during(crowd, shop);
      await client.query('ROLLBACK');
      return experience;
    });
    const { experience: spread } = await during({ ...crowd, petIds: ownPets }, shop);
    const { experience: hot, sold } = await during(crowd, shop);
    owner.close();
    const faults = [...judge('locked', locked, quiet), ...judge('hot', hot, spread)];
    return { quiet, locked, spread, hot, sold, faults };
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
async function during({ port, key, petIds }: Crowd, shop: () => Promise<Experience>) {
  let isOver = false;
  let sold = 0;
  const buy = async (petId: number) => {
    const client = new Client(port, key);
    while (!isOver) {
      const { status } = await post(client, '/v1/store/orders', { petId });
      if (status === 201) sold += 1;
    }
    client.close();
  };
  const crowd = Promise.all(petIds.map(buy));
  const experience = await shop();
  isOver = true;
  await crowd;
  return { experience, sold };
}

interface Shop {
  port: number;
  key: string;
  petId: number;
  secondsEach: number;
}

/** Orders and reads at a steady pace, and measures each. */
async function watch({ port, key, petId, secondsEach }: Shop): Promise<Experience> {
  const experience: Experience = { orders: [], reads: [], unavailable: 0 };
  const endsAt = performance.now() + secondsEach * 1_000;
  const measure = async (times: number[], send: () => Promise<Answer>) => {
    const sentAt = performance.now();
    const { status } = await send();
    times.push(performance.now() - sentAt);
    if (status === 503) experience.unavailable += 1;
  };
  const shopper = async () => {
    const client = new Client(port, key);
    while (performance.now() < endsAt) {
      await measure(experience.orders, () => post(client, '/v1/store/orders', { petId }));
      await measure(experience.reads, () => client.get('/v1/store/orders?limit=5'));
      await pause(EVERY_MS);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: SHOPPERS }, shopper));
  experience.orders.sort((a, b) => a - b);
  experience.reads.sort((a, b) => a - b);
  return experience;
}

function judge(name: string, experience: Experience, measure: Experience): string[] {
  const slow = (['orders', 'reads'] as const).flatMap((kind) => {
    const [now, before] = [p99(experience[kind]), p99(measure[kind])];
    return now > 2 * before ? [`${name}: p99 of ${kind} ${now} ms instead of ${before} ms`] : [];
  });
  const { unavailable } = experience;
  return unavailable > 0 ? [`${name}: ${unavailable} answered 503`, ...slow] : slow;
}

export function p99(sorted: readonly number[]): number {
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
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

async function post(client: Client, path: string, body: unknown): Promise<Answer> {
  const reply = await client.send({ method: 'POST', path, body });
  if (reply.kind !== 'answer') throw new Error(`${path}: ${JSON.stringify(reply)}`);
  return reply;
}
