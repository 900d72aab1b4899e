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
/** After a change the next beat comes sooner, so that nodes learn of each other what is new. */
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
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  /** Whether other nodes apply limits apart from this one. */
  get isApart(): boolean {
    return this.others.all > this.others.together;
  }

  /** Registers this node, and from then on writes its row periodically. */
  async start(): Promise<void> {
    this.#isStarted = true;
    await this.beat();
  }

  /** To be called when this node counts elsewhere than before, so that the others need not wait for the next beat. */
  async tellOthers(): Promise<void> {
    await this.#beating;
    if (this.#isStarted) await this.beat();
  }

  /** All nodes, and for a day those that were killed. */
  async list(page: PageRequest): Promise<Page<NodeRecord>> {
    const { store } = this.#options;
    const now = await store.ping(Date.now());
    if (now !== undefined) return store.read.nodes.list(page, now - NODE_ALIVE_MS);
    return { items: this.#own && !page.after ? [this.#own] : [], hasMore: false };
  }

  /** Writes the row of this node and counts the others. One beat runs at a time. */
  beat(): Promise<void> {
    clearTimeout(this.#timer);
    this.#beating ??= this.#beat()
      .catch((err: unknown) => {
        this.#options.onFailure(err);
        return false;
      })
      .then((isChanged) => {
        this.#beating = undefined;
        if (this.#isStarted) this.#beatIn(isChanged ? CHANGED_BEAT_MS : BEAT_MS);
      });
    return this.#beating;
  }

  /** Takes this node out at once, so that the others need not wait until it is gone. */
  async close(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#beating;
    if (!this.#hasRow) return;
    await this.#options.store
      .transact((tx) => tx.nodes.delete(this.#id))
      .catch(this.#options.onFailure);
  }

  #beatIn(ms: number): void {
    this.#timer = setTimeout(() => void this.beat(), ms).unref();
  }

  /** Returns whether this node or others count elsewhere than at the beat before. */
  async #beat(): Promise<boolean> {
    const { store, report, onChange } = this.#options;
    const nodeNow = Date.now();
    const now = await store.ping(nodeNow);
    const startedAt = this.#own?.startedAt ?? now ?? nodeNow;
    const known = { id: this.#id, startedAt, seenAt: now ?? nodeNow, ...report() };
    if (now === undefined) {
      this.#own = { ...known, limiter: 'shared' };
      return false;
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
    const isChanged = areOthersChanged || !isSame;
    this.#countsIn = countsIn?.[0];
    this.others = others;
    if (this.isApart !== wasApart) onChange(others);
    return isChanged;
  }
}
