import { setTimeout as pause } from 'node:timers/promises';
import { parseValkeyUrl, type ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { UnusableLimiterStore } from '../limiter.ts';
import { Cluster } from './cluster.ts';
import type { Script } from './scripts.ts';
import { tlsFault } from './server-check.ts';
import { OneMaster, type StoreServer, type ValkeyStore } from './valkey-store.ts';

interface SharedStoreOptions {
  url: string;
  /** How long a server may be silent while a call is under way. */
  silenceMaxMs: number;
  /** Called when a master becomes unreachable, once until all are back. */
  onFailure: (err: unknown) => void;
  onRecovery: () => void;
}

const READY_MAX_MS = 1_000;

/** The store of the URL, of whichever topology. Reports when it is lost and when it is back. */
export class SharedStore {
  readonly topology: ValkeyTarget['topology'];
  readonly #options: SharedStoreOptions;
  readonly #target: ValkeyTarget;
  readonly #store: ValkeyStore;
  #isReported = false;
  #lastFailure: Error | undefined;

  constructor(options: SharedStoreOptions) {
    const target = parseValkeyUrl(options.url);
    this.#options = options;
    this.#target = target;
    this.topology = target.topology;
    this.#store = new (target.topology === 'cluster' ? Cluster : OneMaster)(target, {
      silenceMaxMs: options.silenceMaxMs,
      onDown: (err) => this.#noteDown(err),
      onUp: () => this.#noteUp(),
    });
  }

  get isShared(): boolean {
    return this.#store.isShared;
  }

  get servers(): readonly StoreServer[] {
    return this.#store.servers;
  }

  /** Resolves when the store is up, or within two seconds. Throws if only other settings can make it usable. */
  async ready(): Promise<void> {
    for (let waitedMs = 0; !this.isShared && waitedMs < READY_MAX_MS; waitedMs += 10) {
      if (this.#lastFailure instanceof UnusableLimiterStore) throw this.#lastFailure;
      await pause(10);
    }
    if (this.isShared) return;
    const { addresses, isEncrypted } = this.#target;
    const faults = await Promise.all(addresses.map((address) => tlsFault(address, isEncrypted)));
    const fault = faults.find((found) => found !== undefined);
    if (fault && !this.isShared) throw fault;
  }

  isUp(key: string): boolean {
    return this.#store.isUp(key);
  }

  generation(key: string): number {
    return this.#store.generation(key);
  }

  /** Rejects if the master of the key is unreachable, or becomes so before it has replied. */
  run(script: Script, key: string, args: readonly string[]): Promise<number[]> {
    return this.#store.run({ script, key, args });
  }

  close(): void {
    this.#store.close();
  }

  #noteDown(err: Error): void {
    this.#lastFailure = err;
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.onFailure(err);
  }

  #noteUp(): void {
    this.#lastFailure = undefined;
    if (this.#isReported) this.#options.onRecovery();
    this.#isReported = false;
  }
}
