import { randomUUID } from 'node:crypto';
import { NODE_ALIVE_MS, type NodeRecord, type NodeReport } from '../../datastore/cluster/nodes.ts';
import type { Datastore } from '../../datastore/datastore.ts';
import type { Page, PageRequest } from '../../datastore/list.ts';
import { DAY_MS } from '../../domain/durations.ts';

interface NodeRegistryOptions {
  store: Datastore;
  /** What this node says of itself. */
  report: () => NodeReport;
  /** Called when other nodes appear, and when the last of them is gone. */
  onChange: (others: number) => void;
  onFailure: (err: unknown) => void;
}

const BEAT_MS = 5_000;
/** Rows of nodes that were killed are deleted after a day. */
const KEPT_MS = DAY_MS;

/**
 * Tells each node on a database of others on it. A node writes a row every few seconds, by the clock of the database,
 * and counts the rows of the others. A database without a clock of its own has one node and no rows.
 */
export class NodeRegistry {
  /** How many other nodes were seen lately. */
  others = 0;
  readonly #options: NodeRegistryOptions;
  readonly #id = randomUUID();
  #own: NodeRecord | undefined;
  #hasRow = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  /** Registers this node, and from then on writes its row periodically. */
  async start(): Promise<void> {
    await this.beat();
    this.#timer = setInterval(() => void this.beat(), BEAT_MS).unref();
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
    this.#beating ??= this.#beat()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#beating = undefined;
      });
    return this.#beating;
  }

  /** Takes this node out at once, so that the others need not wait until it is gone. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
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
    const own = { id: this.#id, startedAt, seenAt: now ?? nodeNow, ...report() };
    this.#own = own;
    if (now === undefined) return;
    this.#hasRow = true;
    const others = await store.transact(async (tx) => {
      await tx.nodes.save(own);
      await tx.nodes.deleteGone(now - KEPT_MS);
      return tx.nodes.countOthers(this.#id, now - NODE_ALIVE_MS);
    });
    const isChanged = others > 0 !== this.others > 0;
    this.others = others;
    if (isChanged) onChange(others);
  }
}
