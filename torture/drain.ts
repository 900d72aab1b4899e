// Restarts nodes with SIGTERM under clients that send over keep-alive connections: to one node, or to several through a
// balancer. A connection may be closed between two requests, and a new one may be refused. Every request that was sent
// must be answered.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Balancer } from './balancer.ts';
import { Client } from './client.ts';
import { newRandom } from './random.ts';
import { Service } from './service.ts';
import { readAll } from './state.ts';
import { newStore, type Store } from './store.ts';

export interface DrainOptions {
  /** Clients connect to a single node directly, and to several through a balancer. */
  nodes: number;
  /** Nodes that are down at the same time. */
  atOnce: number;
  restarts: number;
  clients: number;
  /** The longest pause of a client between two requests. */
  pauseMs: number;
  onRestart?: (done: number) => void;
}

export interface DrainReport {
  restarts: number;
  answered: number;
  /** Requests that were not answered, or answered with an error. */
  failures: string[];
  /** Writes that took effect without an acknowledgement, or the reverse. */
  unexplained: string[];
  exitCodes: (number | null)[];
  stopMs: number[];
  /** The longest time that this process, with its clients and its balancer, was held up around a stop. */
  stallMs: number;
}

const STOP_MAX_MS = 10_000;
/** The service closes a connection that is quiet for 300 ms while it stops. A client leaves it before that. */
const KEEP_ALIVE_MS = 250;
/** A connection that was quiet for longer is closed at once. */
const BEFORE_STOP_MS = 300;

interface Node {
  store: Store;
  service: Service;
  isUp: boolean;
}

export async function drain(options: DrainOptions): Promise<DrainReport> {
  const report: DrainReport = {
    restarts: 0,
    answered: 0,
    failures: [],
    unexplained: [],
    exitCodes: [],
    stopMs: [],
    stallMs: 0,
  };
  const nodes = await startNodes(options.nodes);
  const ports = () => nodes.map(({ service }) => service.port);
  const balancer = nodes.length > 1 ? await Balancer.start(ports) : undefined;
  const port = () => balancer?.port ?? ports()[0]!;
  const acknowledged = new Set<string>();
  let isRunning = true;
  const clients = Array.from({ length: options.clients }, (_, index) =>
    sendOn(new Client(port, nodes[0]!.store.apiKey), index, options, () => isRunning, {
      report,
      acknowledged,
    }),
  );
  const rest = async () => {
    isRunning = false;
    await Promise.all(clients);
  };
  try {
    await restartInTurn(nodes, options, report);
    await rest();
    report.unexplained = await compare(nodes, acknowledged);
    return report;
  } finally {
    await rest();
    balancer?.stop();
    await Promise.all(nodes.map(({ service }) => service.end('SIGINT')));
    for (const { store } of nodes) store.remove();
  }
}

export function judgeDrain(report: DrainReport): string[] {
  return [
    ...(report.answered === 0 ? ['no request was answered'] : []),
    ...report.failures,
    ...report.unexplained,
    ...report.exitCodes.filter((code) => code !== 0).map((code) => `exit code ${code}`),
    ...report.stopMs.filter((ms) => ms > STOP_MAX_MS).map((ms) => `a stop took ${ms} ms`),
  ];
}

/** All nodes have the same key, so that a client can talk to any of them. */
async function startNodes(count: number): Promise<Node[]> {
  const first = await newStore();
  const stores = [first];
  while (stores.length < count) stores.push(await newStore({}, { apiKey: first.apiKey }));
  const start = async (store: Store): Promise<Node> => {
    const service = await Service.start(store);
    return { store, service, isUp: true };
  };
  return Promise.all(stores.map(start));
}

async function restartInTurn(nodes: Node[], options: DrainOptions, report: DrainReport) {
  let begun = 0;
  const worker = async () => {
    while (begun < options.restarts) {
      const node = nodes[begun % nodes.length]!;
      begun += 1;
      while (!node.isUp) await new Promise((resolve) => setTimeout(resolve, 5));
      node.isUp = false;
      await restart(node, report);
      node.isUp = true;
      report.restarts += 1;
      options.onRestart?.(report.restarts);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
}

async function restart(node: Node, report: DrainReport): Promise<void> {
  const delay = monitorEventLoopDelay();
  delay.enable();
  await pause(BEFORE_STOP_MS);
  const startedAt = performance.now();
  const { code } = await node.service.end('SIGTERM');
  report.stopMs.push(performance.now() - startedAt);
  delay.disable();
  report.stallMs = Math.max(report.stallMs, delay.max / 1e6);
  report.exitCodes.push(code);
  node.service = await Service.start(node.store);
}

async function sendOn(
  client: Client,
  index: number,
  options: DrainOptions,
  isRunning: () => boolean,
  { report, acknowledged }: { report: DrainReport; acknowledged: Set<string> },
): Promise<void> {
  const random = newRandom();
  let sentAt = 0;
  for (let count = 0; isRunning(); count += 1) {
    if (performance.now() - sentAt > KEEP_ALIVE_MS) client.close();
    sentAt = performance.now();
    const name = `category ${index} ${count}`;
    const isWrite = count % 4 === 0;
    const reply = await client.send(
      isWrite
        ? { method: 'POST', path: '/v1/categories', body: { name } }
        : { method: 'GET', path: '/v1/categories?limit=1' },
    );
    if (reply.kind === 'answer' && reply.status < 300) {
      report.answered += 1;
      if (isWrite) acknowledged.add(name);
    } else if (reply.kind === 'refused') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    } else {
      const outcome = reply.kind === 'answer' ? reply.text : JSON.stringify(reply);
      report.failures.push(`${isWrite ? 'write' : 'read'} ${outcome}`);
    }
    const pauseMs = random() * options.pauseMs;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  client.close();
}

async function compare(nodes: readonly Node[], acknowledged: Set<string>): Promise<string[]> {
  const found: string[] = [];
  for (const { service, store } of nodes) {
    const client = new Client(service.port, store.apiKey);
    const categories = await readAll<{ name: string }>(client, '/v1/categories');
    found.push(...categories.map(({ name }) => name));
    client.close();
  }
  const there = new Set(found);
  return [
    ...found
      .filter((name) => !acknowledged.has(name))
      .map((name) => `${name} took effect without an acknowledgement`),
    ...[...acknowledged].filter((name) => !there.has(name)).map((name) => `${name} is lost`),
  ];
}
