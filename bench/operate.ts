// What it costs to know who did what, and what one tenant that leaves costs the others.

import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../server/src/config.ts';
import { openStore } from '../server/src/stores.ts';
import { startPostgres } from '../server/test/support/servers.ts';
import { temporaryFolder } from '../server/test/support/temporary-folder.ts';
import { type BenchEffort, say } from './engines.ts';
import { type LoadResult, load, percentile } from './load.ts';
import { interleave, median, quantile, type Round, refuseOtherAnswers } from './measure.ts';
import { startService, type Target } from './processes.ts';
import { scenariosOf } from './scenarios.ts';
import { prepareStore } from './store.ts';
import { createOwners, fillStore, type Owners, type TenantSizes } from './tenants.ts';

const SCENARIOS = ['read one pet', 'place an order'];
const NODES = 3;
const SUSPENSIONS = 10;
const ORDER_CLIENTS = 4;
const SECONDS_ALONE = 10;
/** The workspace that leaves, as `createOwners` makes it. */
const LARGE = 2;
/** An export over HTTP is cut off after this long; erasing may take longer. */
const SECONDS_MAX = 900;

interface OperateEffort {
  effort: BenchEffort;
  sizes: TenantSizes;
}

export async function measureOperate({ effort, sizes }: OperateEffort): Promise<string[]> {
  const settings = await measureSettings(effort);
  const suspensions = await measureSuspensions();
  return [...settings, ...suspensions, ...(await measureLeaving(sizes))];
}

/** The same store under the same load with each of the settings, in turns. */
async function measureSettings(effort: BenchEffort): Promise<string[]> {
  await using cleanUp = new AsyncDisposableStack();
  const collector = createServer((req, res) => req.resume().on('end', () => res.end('{}')));
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  cleanUp.defer(() => void collector.close());
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const traced = (ratio: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });
  const kinds: [name: string, environment: Record<string, string>][] = [
    ['no request log, no traces', { PETSTORE_REQUEST_LOG_DAYS: '0' }],
    ['request log, the default', {}],
    ['request log and 1 % of traces', traced('0.01')],
    ['request log and all traces', traced('1')],
  ];
  say('settings, SQLite\n');
  const store = await prepareStore(effort.pets, {}, () => undefined);
  cleanUp.defer(store.remove);
  const targets: Target[] = [];
  for (const [, environment] of kinds) {
    const folder = temporaryFolder('petstore-bench-');
    cleanUp.defer(folder.remove);
    cpSync(store.environment.PETSTORE_DATA_DIR!, folder.path, { recursive: true });
    const own = { PETSTORE_DATA_DIR: folder.path, ...environment };
    const target = await startService({ ...store.environment, ...own });
    cleanUp.defer(target.stop);
    targets.push(target);
  }
  const rows: string[] = [];
  for (const scenario of scenariosOf(store, 'sqlite')) {
    if (!SCENARIOS.includes(scenario.name)) continue;
    const turns = targets.map((target) => ({ scenario, target }));
    const rounds = await interleave(turns, effort);
    for (const [at, [name]] of kinds.entries()) {
      rows.push(settingRow(`${scenario.name}: ${name}`, rounds[at]!, rounds[0]!));
    }
  }
  const legend = `CPU microseconds per request: medians of ${effort.rounds} rounds of ${effort.requests} requests in turns. The ratio is to the first row of each operation; half of the rounds lie between the quartiles.`;
  const head = '| operation and settings | us | ratio | quartiles |\n|---|---|---|---|';
  return ['## What the request log and traces cost, SQLite', legend, [head, ...rows].join('\n')];
}

function settingRow(name: string, rounds: readonly Round[], base: readonly Round[]): string {
  const ratios = rounds.map(({ cost }, at) => cost / base[at]!.cost);
  const quartiles = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(3)).join(' to ');
  const cost = median(rounds.map((round) => round.cost)).toFixed(1);
  const row = `| ${name} | ${cost} | ${median(ratios).toFixed(3)} | ${quartiles} |`;
  say(`  ${row}\n`);
  return row;
}

/** From the answer of one node until the last of three refuses. */
async function measureSuspensions(): Promise<string[]> {
  await using cleanUp = new AsyncDisposableStack();
  say('suspensions, three nodes\n');
  const postgres = await startPostgres({ isDurable: true });
  cleanUp.defer(() => postgres.stop());
  const settings = { PETSTORE_DATABASE_URL: postgres.url };
  const owners = await createOwners(settings);
  const nodes: Target[] = [];
  for (let n = 0; n < NODES; n += 1) {
    nodes.push(await startService(settings));
    cleanUp.defer(nodes[n]!.stop);
  }
  const delays: number[] = [];
  for (let n = 0; n < SUSPENSIONS; n += 1) {
    // Each time at another place between two looks of the nodes.
    await pause(137 * n);
    await operate(nodes[0]!, owners, '/admin/workspaces/3/suspend', { reason: 'bench' });
    const answeredAt = performance.now();
    await Promise.all(nodes.map((node) => until(node, owners.small, 403)));
    delays.push(performance.now() - answeredAt);
    await operate(nodes[0]!, owners, '/admin/workspaces/3/resume');
    await Promise.all(nodes.map((node) => until(node, owners.small, 200)));
  }
  const figures = `| ${[0.5, 1].map((share) => at(delays, share)).join(' | ')} |`;
  const title = `## From the answer to a suspension until the last of ${NODES} nodes refuses, PostgreSQL`;
  return [title, `| median ms | slowest of ${SUSPENSIONS} ms |\n|---|---|\n${figures}`];
}

async function until({ ports }: Target, key: string, status: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const url = `http://127.0.0.1:${ports[0]}/v1/pets?limit=1`;
  for (;;) {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (response.status === status) return;
    await pause(5);
  }
}

async function measureLeaving(sizes: TenantSizes): Promise<string[]> {
  const rows = [
    '| engine | alone p50 ms | p99 ms | beside an export p99 ms | times | its MB | seconds | beside erasing p99 ms | times | seconds |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  rows.push(await leaveOn('SQLite', {}, sizes));
  const postgres = await startPostgres({ isDurable: true });
  try {
    rows.push(await leaveOn('PostgreSQL', { PETSTORE_DATABASE_URL: postgres.url }, sizes));
  } finally {
    await postgres.stop();
  }
  const { pets, orders } = sizes;
  const title = `## Orders of another workspace while one of ${2 * pets + 3 * orders} rows is exported and erased`;
  return [title, `${ORDER_CLIENTS} clients order in turns.`, rows.join('\n')];
}

async function leaveOn(
  name: string,
  environment: Record<string, string>,
  sizes: TenantSizes,
): Promise<string> {
  await using cleanUp = new AsyncDisposableStack();
  say(`${name}, one that leaves\n`);
  const folder = temporaryFolder('petstore-bench-');
  cleanUp.defer(folder.remove);
  const settings = { PETSTORE_DATA_DIR: folder.path, ...environment };
  const owners = await createOwners(settings);
  await fillStore(settings, sizes);
  const service = await startService(settings);
  cleanUp.defer(service.stop);
  const order = await ordersOf(service, owners.small);
  await order(3);
  const alone = await order(SECONDS_ALONE);
  const exported = await beside(order, () => exportBytes(service, owners));
  const closing = { name: 'large', graceDays: 0 };
  await operate(service, owners, `/admin/workspaces/${LARGE}/close`, closing);
  const erased = await beside(order, () => isErased(settings));
  const p99 = ({ latencies }: LoadResult) => percentile(latencies, 0.99);
  const times = (result: LoadResult) => (p99(result) / p99(alone)).toFixed(2);
  const cells = [name, percentile(alone.latencies, 0.5).toFixed(1), p99(alone).toFixed(1)];
  cells.push(p99(exported.result).toFixed(1), times(exported.result));
  cells.push((exported.value / 1e6).toFixed(0), exported.seconds.toFixed(0));
  cells.push(p99(erased.result).toFixed(1), times(erased.result), erased.seconds.toFixed(0));
  return `| ${cells.join(' | ')} |`;
}

type Order = (seconds: number) => Promise<LoadResult>;

/** Orders of pets that never run out. */
async function ordersOf(service: Target, key: string): Promise<Order> {
  const url = `http://127.0.0.1:${service.ports[0]}/v1/inventory`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const items = (await (await fetch(url, { headers })).json()) as { petId: number }[];
  for (const { petId } of items) {
    const body = JSON.stringify({ quantity: 1_000_000_000 });
    const set = await fetch(`${url}/${petId}`, { method: 'PATCH', headers, body });
    if (!set.ok) throw new Error(await set.text());
  }
  return async (secondsMax) => {
    const request = (n: number) => {
      const body = `{"petId":${items[n % items.length]!.petId},"quantity":1}`;
      return `POST /v1/store/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const { ports } = service;
    const options = { ports, connections: ORDER_CLIENTS, requests: 1_000_000, secondsMax, request };
    const result = await load(options);
    refuseOtherAnswers({ name: 'orders', status: 201 }, result);
    return result;
  };
}

/** Orders, a second at a time, until the work is done. */
async function beside<T>(order: Order, work: () => Promise<T>) {
  const startedAt = performance.now();
  let seconds: number | undefined;
  const working = work().finally(() => {
    seconds = (performance.now() - startedAt) / 1000;
  });
  working.catch(() => undefined);
  const latencies: number[] = [];
  let last: LoadResult | undefined;
  while (seconds === undefined) {
    last = await order(1);
    latencies.push(...last.latencies);
  }
  const value = await working;
  const result = { ...last!, latencies: Float64Array.from(latencies).sort() };
  return { value, seconds, result };
}

/** Reads a whole export of the large workspace. */
async function exportBytes({ ports }: Target, { operator }: Owners): Promise<number> {
  const headers = { authorization: `Bearer ${operator}` };
  const url = `http://127.0.0.1:${ports[0]}/v1/admin/workspaces/${LARGE}/export`;
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(await response.text());
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  return bytes;
}

/** Waits until the rows of the large workspace are gone. A minute later it is due again, for what was written late. */
async function isErased(settings: Record<string, string>): Promise<void> {
  const { store } = await openStore(readConfig(settings));
  const endsAt = performance.now() + SECONDS_MAX * 1_000;
  try {
    while (performance.now() < endsAt) {
      const due = await store.read.erasure.due(Date.now());
      if (!due.some(({ workspaceId }) => workspaceId === LARGE)) return;
      await pause(200);
    }
  } finally {
    await store.close();
  }
  throw new Error(`not erased after ${SECONDS_MAX} s`);
}

async function operate({ ports }: Target, owners: Owners, path: string, body: object = {}) {
  const response = await fetch(`http://127.0.0.1:${ports[0]}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owners.operator}`, 'content-type': 'application/json' },
    ...(Object.keys(body).length > 0 ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(await response.text());
}

function at(values: readonly number[], share: number): string {
  return percentile(Float64Array.from(values).sort(), share).toFixed(0);
}
