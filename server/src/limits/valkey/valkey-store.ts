import type { ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { Sentinels } from './sentinels.ts';
import { nameOf } from './server-check.ts';
import { type ScriptCall, ValkeyConnection } from './valkey-connection.ts';

export interface StoreServer {
  address: string;
  isUp: boolean;
}

/** The servers behind a URL. Each key has one master, which runs the scripts of the key. */
export interface ValkeyStore {
  /** Whether every key has a master that is up. */
  readonly isShared: boolean;
  /** The masters that are known. */
  readonly servers: readonly StoreServer[];
  isUp(key: string): boolean;
  /** Changes each time that the master of the key becomes unreachable or reachable, or is another one. */
  generation(key: string): number;
  run(call: ScriptCall): Promise<number[]>;
  close(): void;
}

export interface ValkeyStoreOptions {
  silenceMaxMs: number;
  /** Called when a master is lost, and again for each attempt to reach it that fails. */
  onDown: (err: Error) => void;
  /** Called when every key has a master that is up. */
  onUp: () => void;
}

/** One server, or the master that Sentinel names. */
export class OneMaster implements ValkeyStore {
  readonly #connection: ValkeyConnection;
  readonly #sentinels: Sentinels | undefined;

  constructor(target: ValkeyTarget, options: ValkeyStoreOptions) {
    const { topology, addresses } = target;
    const sentinels =
      topology === 'sentinel' ? new Sentinels(target, () => this.#connection.check()) : undefined;
    const locate = async () => (sentinels ? sentinels.locate() : addresses[0]);
    this.#sentinels = sentinels;
    this.#connection = new ValkeyConnection({ ...options, locate, topology, settings: target });
  }

  get isShared(): boolean {
    return this.#connection.isUp;
  }

  get servers(): StoreServer[] {
    const { address, isUp } = this.#connection;
    return address ? [{ address: nameOf(address), isUp }] : [];
  }

  isUp(): boolean {
    return this.#connection.isUp;
  }

  generation(): number {
    return this.#connection.generation;
  }

  run(call: ScriptCall): Promise<number[]> {
    return this.#connection.run(call);
  }

  close(): void {
    this.#connection.close();
    this.#sentinels?.close();
  }
}
