import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../measure.ts';
import { cpuSeconds, type Target } from '../processes.ts';
import { call } from './call.ts';
import { until } from './until.ts';

export interface StreamFigures {
  streams: number;
  kilobytesEach: number;
  /** Share of a core that they take while nothing happens. */
  idleCore: number;
  /** CPU microseconds of the node for each event and stream: rounds with streams less rounds without. */
  fanOutUs: number;
  lagP50Ms: number;
  lagP99Ms: number;
}

/** A workspace with keys of its own: one opens 60 streams a minute. */
export interface Tenant {
  keys: readonly string[];
  writeKey: string;
}

const STREAMS_EACH = 100;
const EVENTS = 100;
const ROUNDS = 5;
const IDLE_MS = 10_000;
const LAG_WRITES = 500;
const LAG_EVERY_MS = 10;

/** The last tenant gets no streams, so that its writes show what a write costs by itself. */
export async function measureStreams(
  service: Target,
  tenants: readonly Tenant[],
): Promise<StreamFigures> {
  const pid = service.pids[0]!;
  const followed = tenants.slice(0, -1);
  // Both paths are compiled and the heap has its size before anything counts.
  for (const tenant of tenants) await write(service, tenant, EVENTS);
  const before = residentKilobytes(pid);
  const sockets: Socket[] = [];
  for (const { keys } of followed) {
    for (let at = 0; at < STREAMS_EACH; at++) {
      sockets.push(await openStream(service, keys[at % keys.length]!));
    }
  }
  const kilobytesEach = (residentKilobytes(pid) - before) / sockets.length;
  const idleCore = (await cpuOf(pid, () => pause(IDLE_MS))) / (IDLE_MS / 1000);
  const extra: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await cpuOf(pid, () => write(service, tenants.at(-1)!, EVENTS));
    const shared = await cpuOf(pid, () =>
      write(service, followed[round % followed.length]!, EVENTS),
    );
    extra.push(((shared - alone) * 1e6) / (EVENTS * STREAMS_EACH));
  }
  const lags = await lagOf(service, tenants.at(-1)!);
  for (const socket of sockets) socket.destroy();
  return {
    streams: sockets.length,
    kilobytesEach,
    idleCore,
    fanOutUs: quantile(extra, 0.5),
    lagP50Ms: quantile(lags, 0.5),
    lagP99Ms: quantile(lags, 0.99),
  };
}

async function cpuOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(pid);
  await work();
  // What the work has left to streams is done before the next round.
  await pause(300);
  return cpuSeconds(pid) - before;
}

let names = 0;

async function write(service: Target, { writeKey }: Tenant, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    names += 1;
    await call(service, writeKey, 'POST', '/categories', { name: `bench ${names}` });
  }
}

/** From the answer to a write until its event is there, on one stream of the same node. */
async function lagOf(service: Target, tenant: Tenant): Promise<number[]> {
  const arrived = new Map<string, number>();
  const socket = await openStream(service, tenant.keys[0]!, (text) => {
    for (const [, name] of text.matchAll(/"name":"(bench \d+)"/g)) {
      arrived.set(name!, performance.now());
    }
  });
  const answered = new Map<string, number>();
  for (let at = 0; at < LAG_WRITES; at++) {
    await write(service, tenant, 1);
    answered.set(`bench ${names}`, performance.now());
    await pause(LAG_EVERY_MS);
  }
  const isThere = (name: string) => arrived.has(name);
  await until(answered.size, () => [...answered.keys()].filter(isThere).length).finally(() =>
    socket.destroy(),
  );
  return [...answered].map(([name, at]) => Math.max(0, arrived.get(name)! - at));
}

async function openStream(
  { ports }: Target,
  key: string,
  onText: (text: string) => void = () => undefined,
): Promise<Socket> {
  const socket = connect(ports[0]!, '127.0.0.1');
  socket.write(
    `GET /v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(head.toString());
  socket.on('data', (bytes: Buffer) => onText(bytes.toString('latin1')));
  return socket;
}

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}
