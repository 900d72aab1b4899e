import { randomUUID } from 'node:crypto';
import type { Datastore } from '../../datastore/datastore.ts';
import { DAY_MS } from '../../domain/durations.ts';

interface NodeRegistryOptions {
  store: Datastore;
  /** Called when other nodes appear, and when the last of them is gone. */
  onChange: (others: number) => void;
  onFailure: (err: unknown) => void;
}

const BEAT_MS = 5_000;
/** A node that was not seen for this time is gone. */
const ALIVE_MS = 15_000;
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
  #startedAt: number | undefined;
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
    if (this.#startedAt === undefined) return;
    await this.#options.store
      .transact((tx) => tx.nodes.delete(this.#id))
      .catch(this.#options.onFailure);
  }

  async #beat(): Promise<void> {
    const { store, onChange } = this.#options;
    const now = await store.ping(Date.now());
    if (now === undefined) return;
    this.#startedAt ??= now;
    const startedAt = this.#startedAt;
    const others = await store.transact(async (tx) => {
      await tx.nodes.save({ id: this.#id, startedAt, seenAt: now });
      await tx.nodes.deleteGone(now - KEPT_MS);
      return tx.nodes.countOthers(this.#id, now - ALIVE_MS);
    });
    const isChanged = others > 0 !== this.others > 0;
    this.others = others;
    if (isChanged) onChange(others);
  }
}
