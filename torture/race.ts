// Several nodes on one PostgreSQL race for last units: one buyer of each round gets it, whichever node he asked.
// Then a thousand buyers want five hundred units of one pet.

import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { type Answer, Client } from './client.ts';
import { Service } from './service.ts';
import { newStore } from './store.ts';

export interface RaceOptions {
  nodes: number;
  rounds: number;
  onRound?: (done: number) => void;
}

export interface RaceReport {
  rounds: number;
  sold: number;
  faults: string[];
}

/** Rounds that run at the same time, each over connections of its own. */
const LANES = 4;
const BUYERS_PER_NODE = 2;
const CROWD = 1_000;
const CROWD_UNITS = 500;

export async function race(options: RaceOptions): Promise<RaceReport> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const store = await newStore(urls);
  const services = await Promise.all(
    Array.from({ length: options.nodes }, () => Service.start(store)),
  );
  const report: RaceReport = { rounds: 0, sold: 0, faults: [] };
  const newBuyer = (n: number) => new Client(services[n % services.length]!.port, store.apiKey);
  try {
    const owner = newBuyer(0);
    const category = await post(owner, '/v1/categories', { name: 'Dogs' });
    const categoryId = idOf(category);
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
    await sellToCrowd(owner, newBuyer, categoryId, report);
    owner.close();
    return report;
  } finally {
    await Promise.all(services.map((service) => service.end('SIGINT')));
    await Promise.all([postgres.stop(), redis.stop()]);
    store.remove();
  }
}

/** A new pet has one unit. */
async function raceOnce(buyers: readonly Client[], categoryId: number, report: RaceReport) {
  const name = `Pet ${report.rounds}`;
  const petId = idOf(await post(buyers[0]!, '/v1/pets', { name, categoryId }));
  const answers = await Promise.all(
    buyers.map((buyer) => post(buyer, '/v1/store/orders', { petId })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  const winners = statuses.filter((status) => status === 201).length;
  report.sold += winners;
  if (winners === 1 && statuses.filter((status) => status === 409).length === buyers.length - 1) {
    return;
  }
  report.faults.push(`${name} has 1 unit and was answered ${statuses.join(' ')}`);
}

async function sellToCrowd(
  owner: Client,
  newBuyer: (n: number) => Client,
  categoryId: number,
  report: RaceReport,
): Promise<void> {
  const petId = idOf(await post(owner, '/v1/pets', { name: 'Everybody’s', categoryId }));
  const path = `/v1/inventory/${petId}`;
  await owner.send({ method: 'PATCH', path, body: { quantity: CROWD_UNITS } });
  const buyers = Array.from({ length: CROWD }, (_, n) => newBuyer(n));
  const answers = await Promise.all(
    buyers.map((buyer) => post(buyer, '/v1/store/orders', { petId })),
  );
  for (const buyer of buyers) buyer.close();
  const sold = answers.filter(({ status }) => status === 201).length;
  const refused = answers.filter(({ status }) => status === 409).length;
  const turnedAway = answers.filter(({ status }) => status === 503).length;
  const stock = (await owner.get(path)).body as { reserved: number };
  report.sold += sold;
  const isExact = sold + refused + turnedAway === CROWD && stock.reserved === sold;
  // Whoever is turned away may come again; then all units are sold, and not one more.
  if (!isExact || sold > CROWD_UNITS || (turnedAway === 0 && sold !== CROWD_UNITS)) {
    const told = `${sold} sold, ${refused} refused, ${turnedAway} turned away`;
    report.faults.push(
      `${CROWD_UNITS} units, ${CROWD} buyers: ${told}, ${stock.reserved} reserved`,
    );
  }
}

async function post(client: Client, path: string, body: unknown): Promise<Answer> {
  const reply = await client.send({ method: 'POST', path, body });
  if (reply.kind !== 'answer') throw new Error(`${path}: ${JSON.stringify(reply)}`);
  return reply;
}

function idOf({ status, text, body }: Answer): number {
  if (status !== 201) throw new Error(text);
  return (body as { id: number }).id;
}
