import { randomUUID } from 'node:crypto';
import {
  type CountsIn,
  NODE_ALIVE_MS,
  type NodeRecord,
  type NodeReport,
  type OtherNodes,
} from '../../datastore/cluster/nodes.ts';
import type { Datastore } from '../../datastore/datastore.ts';
import type { Page, PageRequest } from '../../datastore/list.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { PeriodicRun } from '../periodic-run.ts';

export interface NodeRegistryOptions {
  store: Datastore;
  /** What this node says of itself. */
  report: () => NodeReport;
  /** The name of the Valkey in which this node counts, and the one before; undefined while it counts by itself. */
  countsIn: () => Promise<CountsIn | undefined>;
  /** Called when other nodes begin to count apart from this one, and when the last of them has stopped. */
  onChange: (others: OtherNodes) => void;
  onFailure: (err: unknown) => void;
}

const BEAT_MS = 5_000;
/** After a change a beat comes sooner, so that nodes learn of each other what is new. */
const CHANGED_BEAT_MS = 500;
/** Rows of nodes that were killed are deleted after a day. */
const KEPT_MS = DAY_MS;

/**
 * Tells each node on a database of others on it. A node writes a row every few seconds, by the clock of the database,
 * and counts the rows of the others. A database without a clock of its own has one node and no rows.
 */
export class NodeRegistry {
  others: OtherNodes = { all: 0, together: 0 };
  readonly #options: NodeRegistryOptions;
  readonly #id = randomUUID();
  #own: NodeRecord | undefined;
  #countsIn: number | undefined;
  #hasRow = false;
  #isStarted = false;
  readonly #beats: PeriodicRun;
  #soon: NodeJS.Timeout | undefined;

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#beats = new PeriodicRun(() => this.#beat(), { everyMs: BEAT_MS, onFailure });
  }

  /** Whether other nodes apply limits apart from this one. */
  get isApart(): boolean {
    return this.others.all > this.others.together;
  }

  /** Registers this node, and from then on writes its row periodically. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.#beats.start();
  }

  /** To be called when this node counts elsewhere than before, so that the others need not wait for the next beat. */
  async tellOthers(): Promise<void> {
    if (this.#isStarted) await this.beat();
  }

  /** All nodes, and for a day those that were killed. */
  async list(page: PageRequest): Promise<Page<NodeRecord>> {
    const { store } = this.#options;
    const now = await store.ping(Date.now());
    if (now !== undefined) return store.read.nodes.list(page, now - NODE_ALIVE_MS);
    return { items: this.#own && !page.after ? [this.#own] : [], hasMore: false };
  }

  /** Writes the row of this node and counts the others. */
  async beat(): Promise<void> {
    await this.#beats.run().catch(this.#options.onFailure);
  }

  /** Takes this node out at once, so that the others need not wait until it is gone. */
  async close(): Promise<void> {
    this.#isStarted = false;
    await this.#beats.stop();
    clearTimeout(this.#soon);
    if (!this.#hasRow) return;
    await this.#options.store
      .transact((tx) => tx.nodes.delete(this.#id))
      .catch(this.#options.onFailure);
  }

  async #beat(): Promise<void> {
    const { store, report, onChange } = this.#options;
    const nodeNow = Date.now();
    const now = await store.ping(nodeNow);
    const startedAt = this.#own?.startedAt ?? now ?? nodeNow;
    const known = { id: this.#id, startedAt, seenAt: now ?? nodeNow, ...report() };
    if (now === undefined) {
      this.#own = { ...known, limiter: 'shared' };
      return;
    }
    const countsIn = await this.#options.countsIn();
    this.#hasRow = true;
    const others = await store.transact(async (tx) => {
      const found = await tx.nodes.countOthers({ id: this.#id, countsIn }, now - NODE_ALIVE_MS);
      const limiter = found.all > 0 && found.together === 0 ? 'alone' : 'shared';
      await tx.nodes.save({ ...known, limiter, countsIn: countsIn?.[0] });
      await tx.oldRows.remove('nodes', now - KEPT_MS);
      return found;
    });
    const wasApart = this.isApart;
    const { all, together } = this.others;
    const areOthersChanged = others.all !== all || others.together !== together;
    const isSame = this.#countsIn === undefined ? !countsIn : countsIn?.includes(this.#countsIn);
    this.#countsIn = countsIn?.[0];
    this.others = others;
    if (this.isApart !== wasApart) onChange(others);
    if (areOthersChanged || !isSame) this.#beatSoon();
  }

  #beatSoon(): void {
    clearTimeout(this.#soon);
    if (this.#isStarted) this.#soon = setTimeout(() => void this.beat(), CHANGED_BEAT_MS).unref();
  }
}
