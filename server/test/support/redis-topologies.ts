// Starts Redis as a Cluster, and with Sentinels, as people run them: real processes on free ports.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { findServerPrograms } from './server-programs.ts';
import {
  answersPing,
  newFolder,
  onRedis,
  startRedis,
  startServer,
  type TestServer,
} from './servers.ts';

const SLOTS = 16_384;
/**
 * How long servers wait for each other before one is replaced. Tests end a master and promote its replica themselves: on
 * a machine that stalls, a short time would promote others as well.
 */
const PATIENT_MS = 600_000;
const WAIT_MS = 120_000;

export interface ClusterServer extends TestServer {
  readonly id: string;
}

export interface TestCluster {
  readonly url: string;
  readonly masters: readonly ClusterServer[];
  readonly replicas: readonly ClusterServer[];
  stop(): Promise<void>;
}

/** A Cluster in which each of three masters has an equal share of the slots and one replica. */
export async function startCluster({ timeoutMs = PATIENT_MS } = {}): Promise<TestCluster> {
  const count = 3;
  const masters = await startMany(count, () => startClusterServer(timeoutMs));
  const replicas = await startMany(count, () => startClusterServer(timeoutMs));
  const all = [...masters, ...replicas];
  const share = Math.ceil(SLOTS / count);
  for (const [index, { url }] of masters.entries()) {
    const last = Math.min((index + 1) * share, SLOTS) - 1;
    await onRedis(url, 'CLUSTER', 'ADDSLOTSRANGE', `${index * share}`, `${last}`);
    await onRedis(url, 'CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
  }
  for (const { port } of all) {
    await onRedis(
      masters[0]!.url,
      'CLUSTER',
      'MEET',
      '127.0.0.1',
      `${port}`,
      await busPort(all, port),
    );
  }
  for (const { url } of all) {
    await until(async () => (await clusterNodes(url)).filter(isConnected).length === all.length);
  }
  for (const [index, { url }] of replicas.entries()) {
    await onRedis(url, 'CLUSTER', 'REPLICATE', masters[index]!.id);
  }
  for (const { url } of replicas) await isReplicating(url);
  for (const { url } of all) {
    await until(async () => /cluster_state:ok/.test(String(await onRedis(url, 'CLUSTER', 'INFO'))));
  }
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    masters,
    replicas,
    stop: async () => void (await Promise.all(all.map((server) => server.stop()))),
  };
}

/** Makes a replica the master of its slots, as an election does after the timeout. */
export async function promote({ url }: ClusterServer): Promise<void> {
  await until(async () => {
    await onRedis(url, 'CLUSTER', 'FAILOVER', 'TAKEOVER').catch(() => {});
    return /role:master/.test(String(await onRedis(url, 'INFO', 'replication')));
  });
}

/** Moves a slot with its keys, as `redis-cli --cluster reshard` does. `between` runs while the slot is on its way. */
export async function moveSlot(
  slot: number,
  { from, to }: { from: ClusterServer; to: ClusterServer },
  between: () => Promise<void> = async () => {},
): Promise<void> {
  const set = (server: ClusterServer, ...state: string[]) =>
    onRedis(server.url, 'CLUSTER', 'SETSLOT', `${slot}`, ...state);
  await set(to, 'IMPORTING', from.id);
  await set(from, 'MIGRATING', to.id);
  await between();
  for (;;) {
    const keys = (await onRedis(
      from.url,
      'CLUSTER',
      'GETKEYSINSLOT',
      `${slot}`,
      '100',
    )) as string[];
    if (keys.length === 0) break;
    await onRedis(from.url, 'MIGRATE', '127.0.0.1', `${to.port}`, '', '0', '5000', 'KEYS', ...keys);
  }
  await between();
  await set(to, 'NODE', to.id);
  await set(from, 'NODE', to.id);
}

export interface TestSentinels {
  readonly url: string;
  readonly sentinels: readonly TestServer[];
  /** The first is the master at the start. */
  readonly servers: readonly TestServer[];
  /** The server that the Sentinels name as the master. */
  master(): Promise<TestServer>;
  /** Replaces the master, as the Sentinels do by themselves after the timeout. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

interface SentinelsOptions {
  timeoutMs?: number;
  password?: string;
  sentinelPassword?: string;
}

/** A master with one replica and three Sentinels. */
export async function startSentinels(options: SentinelsOptions = {}): Promise<TestSentinels> {
  const { password, sentinelPassword } = options;
  const secret = password ? ['--requirepass', password, '--masterauth', password] : [];
  const first = await startRedis({ settings: [...secret, '--repl-diskless-sync-delay', '0'] });
  const follow = ['--replicaof', '127.0.0.1', `${first.port}`];
  const second = await startRedis({ settings: [...secret, ...follow] });
  const servers = [first, second];
  const withPassword = (url: string, text?: string) =>
    text ? url.replace('//', `//:${text}@`) : url;
  await isReplicating(withPassword(second.url, password));
  const sentinels = await startMany(3, () => startSentinel(first.port, options));
  const named = async () => {
    const url = withPassword(sentinels[0]!.url, sentinelPassword);
    const address = await onRedis(url, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
    return servers.find(({ port }) => `${port}` === (address as string[])[1])!;
  };
  for (const sentinel of sentinels) {
    const url = withPassword(sentinel.url, sentinelPassword);
    await until(async () => {
      const fields = (await onRedis(url, 'SENTINEL', 'MASTER', 'mymaster')) as string[];
      const fieldOf = (name: string) => fields[fields.indexOf(name) + 1];
      return fieldOf('num-other-sentinels') === '2' && fieldOf('num-slaves') === '1';
    });
  }
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const query = sentinelPassword ? `?sentinelPassword=${sentinelPassword}` : '';
  return {
    url: `${withPassword(`redis+sentinel://${hosts}/mymaster/0`, password)}${query}`,
    sentinels,
    servers,
    master: named,
    failOver: async () => {
      const old = await named();
      const url = withPassword(sentinels[0]!.url, sentinelPassword);
      await until(async () => {
        await onRedis(url, 'SENTINEL', 'FAILOVER', 'mymaster').catch(() => {});
        return (await named()) !== old;
      });
    },
    stop: async () => {
      await Promise.all([...sentinels, ...servers].map((server) => server.stop()));
    },
  };
}

/** One Sentinel of a master with the name `mymaster`. */
export async function startSentinel(
  masterPort: number,
  options: SentinelsOptions = {},
): Promise<TestServer> {
  const { redis } = findServerPrograms();
  const port = await freePort();
  const folder = newFolder('petstore-sentinel-', {});
  const file = join(folder.path, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor mymaster 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds mymaster ${options.timeoutMs ?? PATIENT_MS}`,
    'sentinel failover-timeout mymaster 10000',
    ...(options.password ? [`sentinel auth-pass mymaster ${options.password}`] : []),
    ...(options.sentinelPassword ? [`requirepass ${options.sentinelPassword}`] : []),
    ...(options.sentinelPassword ? [`sentinel sentinel-pass ${options.sentinelPassword}`] : []),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return startServer({
    command: [redis, file, '--sentinel'],
    owner: {},
    folder,
    url: `redis://127.0.0.1:${port}`,
    port,
    isReady: () => answersPing(port),
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
  });
}

/** A server of a Cluster that has no other servers and no slots yet. */
async function startClusterServer(timeoutMs: number): Promise<ClusterServer> {
  const server = await startRedis({
    settings: [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${timeoutMs}`],
      ...['--cluster-port', `${await freePort()}`, '--cluster-require-full-coverage', 'no'],
      ...['--repl-diskless-sync-delay', '0', '--cluster-replica-validity-factor', '0'],
    ],
  });
  const id = String(await onRedis(server.url, 'CLUSTER', 'MYID'));
  return Object.create(server, { id: { value: id } }) as ClusterServer;
}

function startMany<T>(count: number, start: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, start));
}

async function busPort(servers: readonly ClusterServer[], port: number): Promise<string> {
  const { url } = servers.find((server) => server.port === port)!;
  const config = (await onRedis(url, 'CONFIG', 'GET', 'cluster-port')) as string[];
  return config[1]!;
}

async function clusterNodes(url: string): Promise<string[]> {
  return String(await onRedis(url, 'CLUSTER', 'NODES'))
    .trim()
    .split('\n');
}

function isConnected(line: string): boolean {
  return line.includes(' connected') && !line.includes('handshake');
}

function isReplicating(url: string): Promise<void> {
  return until(async () =>
    /master_link_status:up/.test(String(await onRedis(url, 'INFO', 'replication'))),
  );
}

export async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  const giveUpAt = performance.now() + WAIT_MS;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) throw new Error(`waited for ${WAIT_MS} ms: ${isDone}`);
    await pause(50);
  }
}
