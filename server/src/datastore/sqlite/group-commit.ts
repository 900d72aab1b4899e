// Commits units of work in groups. Units that arrive in one tick of the event loop, or while a group is being
// written, wait in a queue. The next group runs them one after the other, commits once, and only then resolves them all.
// A unit that throws is undone and affects no other. If storage fails, the whole group is rejected, and the next one tries
// again.

import type { Coalescer } from '../../lib/coalescer.ts';
import type { Transaction } from '../datastore.ts';
import { StorageUnavailable } from '../failures.ts';
import type { WriteTransaction } from './write-transaction.ts';

const GROUP_MAX = 256;

interface Unit {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (err: unknown) => void;
}

export class GroupCommit {
  readonly #transaction: WriteTransaction;
  readonly #coalescer: Coalescer;
  #queue: Unit[] = [];
  #isWriting = false;
  #onDrained: (() => void) | undefined;

  constructor(transaction: WriteTransaction, coalescer: Coalescer) {
    this.#transaction = transaction;
    this.#coalescer = coalescer;
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as Unit['resolve'], reject });
      if (!this.#isWriting) {
        this.#isWriting = true;
        this.#coalescer.atTickEnd(() => void this.#writeGroups());
      }
    });
  }

  /** Resolves when the queue is empty. */
  async drain(): Promise<void> {
    if (!this.#isWriting) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  async #writeGroups(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#writeGroup(this.#queue.splice(0, GROUP_MAX));
      // Reads that arrived meanwhile run between two groups.
      await new Promise<void>((resolve) => this.#coalescer.atTickEnd(resolve));
    }
    this.#isWriting = false;
    this.#onDrained?.();
  }

  async #writeGroup(group: readonly Unit[]): Promise<void> {
    try {
      if (this.#transaction.lost) throw this.#transaction.lost;
      const callbacks = await this.#transaction.run((tx) => this.#runGroup(group, tx));
      for (const notify of callbacks) notify();
    } catch (err) {
      // What waits is rejected now: once the database is lost, the process is about to end.
      const rejected = this.#transaction.lost ? [...group, ...this.#queue.splice(0)] : group;
      for (const unit of rejected) unit.reject(err);
    }
  }

  /** Returns what notifies the callers once the group is committed. */
  async #runGroup(group: readonly Unit[], tx: Transaction): Promise<(() => void)[]> {
    const callbacks: (() => void)[] = [];
    for (const unit of group) {
      callbacks.push(await runUnit(unit, tx));
      this.#transaction.assertIntact();
    }
    return callbacks;
  }
}

async function runUnit({ work, resolve, reject }: Unit, tx: Transaction): Promise<() => void> {
  try {
    const value = await tx.attempt(() => work(tx));
    return () => resolve(value);
  } catch (err) {
    if (err instanceof StorageUnavailable) throw err;
    return () => reject(err);
  }
}
