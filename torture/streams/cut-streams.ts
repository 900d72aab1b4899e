// Cuts streams at random bytes, and restarts their nodes, while events are written. Each reader comes back with the id of its last
// event, on any node. In the end each must have the whole feed: nothing missing, nothing twice, nothing in another order.

import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../server/src/config.ts';
import { readFeed } from '../../server/src/services/events/read-feed.ts';
import { createKey } from '../../server/src/services/keys.ts';
import { openStore } from '../../server/src/stores.ts';
import type { Faults } from '../checks/checkers.ts';
import { Service } from '../service.ts';
import type { Store } from '../store.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { ResumingReader } from './resuming-reader.ts';

export interface CutStreamsOptions {
  store: Store;
  nodes: number;
  /** How many connections to cut. */
  cuts: number;
  readers: number;
  /** How often a node is stopped with SIGTERM and started again; spread over the cuts. */
  restarts: number;
  onProgress?: (cuts: number) => void;
}

export interface CutStreamsReport {
  cuts: number;
  restarts: number;
  events: number;
  faults: Faults;
}

const OPENED_PER_MINUTE = 50;
const MINUTES = 2;
const WRITE_EVERY_MS = 5;
const LOOK_EVERY_MS = 50;
const CATCH_UP_MS = 120_000;
const PAGE = 1_000;
/** Events are written all the time, so streams that cannot be cut for so long get none, even on a slow machine. */
const STALLED_MS = 120_000;

export async function cutStreams(options: CutStreamsOptions): Promise<CutStreamsReport> {
  const { store } = options;
  await using cleanUp = new AsyncDisposableStack();
  const nodes: Service[] = [];
  cleanUp.defer(async () => void (await Promise.all(nodes.map((node) => node.end('SIGKILL')))));
  const start = async () => void nodes.push(await Service.start(store));
  await Promise.all(Array.from({ length: options.nodes }, start));
  const ports = nodes.map(({ port }) => port);
  const proxy = await CuttingProxy.start(() => ports);
  cleanUp.defer(() => proxy.stop());
  const keys = await createKeys(store, Math.ceil(options.cuts / OPENED_PER_MINUTE / MINUTES) + 2);
  let turn = 0;
  const nextKey = () => keys[turn++ % keys.length]!;
  const readers = Array.from(
    { length: options.readers },
    () => new ResumingReader({ port: proxy.port, nextKey }),
  );
  const following = readers.map((reader) => reader.follow());
  const faults: string[] = [];
  const writing = { isOver: false, ports, key: store.apiKey, faults };
  cleanUp.defer(() => {
    writing.isOver = true;
    for (const reader of readers) reader.isOver = true;
  });
  const written = write(writing);
  const restarts = await cut({ ...options, proxy, readers, nodes, ports, faults });
  writing.isOver = true;
  await written;
  proxy.isCutting = false;
  const feed = await readWhole(store);
  await caughtUp(readers, feed.length);
  for (const reader of readers) reader.isOver = true;
  proxy.stop();
  await Promise.all(following);
  for (const node of nodes) faults.push(...(await endCleanly(node)));
  faults.push(...readers.flatMap((reader, at) => compare(`reader ${at}`, reader, feed)));
  return { cuts: proxy.cuts, restarts, events: feed.length, faults };
}

export interface CutRun extends Omit<CutStreamsOptions, 'nodes' | 'readers'> {
  proxy: { readonly cuts: number };
  readers: readonly Pick<ResumingReader, 'faults'>[];
  nodes: Service[];
  ports: number[];
  faults: Faults;
  /** How long to wait for the next cut. */
  stalledMs?: number;
}

/** Waits for the cuts and restarts nodes meanwhile, until there is a fault. Returns how many restarts there were. */
export async function cut(run: CutRun): Promise<number> {
  const { proxy, nodes, ports, stalledMs = STALLED_MS } = run;
  let restarts = 0;
  let last = { cuts: proxy.cuts, at: performance.now() };
  const isDone = () => proxy.cuts >= run.cuts && restarts >= run.restarts;
  const isFaulty = () => [run, ...run.readers].some(({ faults }) => faults.length > 0);
  while (!isDone() && !isFaulty()) {
    run.onProgress?.(proxy.cuts);
    await pause(LOOK_EVERY_MS);
    if (proxy.cuts > last.cuts) last = { cuts: proxy.cuts, at: performance.now() };
    else if (performance.now() - last.at > stalledMs) {
      run.faults.push(`no stream could be cut for ${stalledMs} ms, after ${proxy.cuts} cuts`);
    }
    if (restarts >= run.restarts || proxy.cuts < (run.cuts / (run.restarts + 1)) * (restarts + 1)) {
      continue;
    }
    const at = restarts % nodes.length;
    run.faults.push(...(await endCleanly(nodes[at]!)));
    nodes[at] = await Service.start(run.store);
    ports[at] = nodes[at].port;
    restarts += 1;
  }
  return restarts;
}

async function endCleanly(node: Service): Promise<string[]> {
  const { code, signal } = await node.end('SIGTERM');
  return code === 0 ? [] : [`a node ended with ${code ?? signal}: ${node.output.slice(-4_000)}`];
}

/** Many keys, because each may open 60 streams a minute. */
async function createKeys(store: Store, count: number): Promise<string[]> {
  const opened = await openStore(readConfig(store.environment));
  try {
    const keys: string[] = [];
    for (let at = 0; at < count; at++) {
      const key = { name: `reader ${at}`, scopes: ['read'] as const };
      const creation = { workspaceId: 1, key, now: Date.now() };
      keys.push((await opened.store.transact((tx) => createKey(tx, creation))).key);
    }
    return keys;
  } finally {
    await opened.store.close();
  }
}

async function write(writing: {
  isOver: boolean;
  ports: readonly number[];
  key: string;
  faults: Faults;
}) {
  for (let count = 0; !writing.isOver; count++) {
    const port = writing.ports[count % writing.ports.length];
    // A request that hits a node between two starts is lost, and no reader misses it.
    const response = await fetch(`http://127.0.0.1:${port}/v1/categories`, {
      method: 'POST',
      headers: { authorization: `Bearer ${writing.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `category ${count}` }),
    }).catch(() => undefined);
    await response?.text().catch(() => undefined);
    if (response && !response.ok && response.status !== 503) {
      writing.faults.push(`a write was answered ${response.status}`);
      return;
    }
    await pause(WRITE_EVERY_MS);
  }
}

/** The feed as the database has it. */
async function readWhole(store: Store): Promise<string[]> {
  const opened = await openStore(readConfig(store.environment));
  try {
    const texts: string[] = [];
    for (;;) {
      const { records } = await readFeed(opened.store, 1, { after: texts.length, limit: PAGE });
      if (records.length === 0) return texts;
      texts.push(...records.map(({ text }) => text));
    }
  } finally {
    await opened.store.close();
  }
}

async function caughtUp(readers: readonly ResumingReader[], last: number): Promise<void> {
  const until = Date.now() + CATCH_UP_MS;
  const isBehind = (reader: ResumingReader) => reader.last < last && reader.faults.length === 0;
  while (readers.some(isBehind) && Date.now() < until) {
    await pause(LOOK_EVERY_MS);
  }
}

function compare(name: string, reader: ResumingReader, feed: readonly string[]): string[] {
  const faults = reader.faults.map((fault) => `${name}: ${fault}`);
  const at = reader.events.findIndex(
    ({ sequence, text }, index) => sequence !== index + 1 || text !== feed[index],
  );
  if (at !== -1) {
    faults.push(`${name}: event ${reader.events[at]!.sequence} came in place of ${at + 1}`);
  }
  if (reader.events.length !== feed.length) {
    faults.push(`${name}: ${reader.events.length} events of ${feed.length}`);
  }
  return faults;
}
