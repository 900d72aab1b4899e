import { randomInt } from 'node:crypto';
import type { Caller } from '../../domain/key.ts';
import type { Clock } from '../../lib/clock.ts';
import type { BanPolicy } from '../ban.ts';
import {
  type AdmitReply,
  admitArguments,
  type Charge,
  parseAdmitReply,
  workspaceKey,
} from './admit-call.ts';
import { adoptReply, type LocalWorkspace } from './local-workspaces.ts';
import { admitScript, bucketScript, liftScript, nameScript } from './scripts.ts';
import type { ValkeyStore } from './valkey-store.ts';

export interface SharedCountsOptions {
  clock: Clock;
  policy: BanPolicy;
  /** For tests only: decides by this clock instead of the store's. */
  storeClock?: Clock;
}

interface BucketReply {
  isRefused: boolean;
  at: number;
  start: number;
  used: number;
}

const NAMES_KEY = 'petstore:{names}';
const NAME_MAX = 2 ** 47;
/** For longer than a node is taken for alive that says nothing: its last word has the name of then, or the one before. */
const NAME_KEPT_MS = 20_000;

/** The name of a store, and the one that it had before. */
export type StoreNames = readonly [name: number, before: number];

export function bucketKey(bucket: string): string {
  return `petstore:{b:${bucket}}`;
}

/** The counts that all nodes share, kept in Valkey or Redis. */
export class SharedCounts {
  readonly #options: SharedCountsOptions;
  readonly #store: ValkeyStore;
  /** How far the store's clock is ahead of this node's. */
  #aheadMs = 0;
  /** The store gets this name again if it has lost its data. */
  #storeName = randomInt(1, NAME_MAX);

  constructor(options: SharedCountsOptions, store: ValkeyStore) {
    this.#options = options;
    this.#store = store;
  }

  /** The store's clock, as this node estimates it. */
  now(): number {
    return this.#options.storeClock?.now() ?? this.#options.clock.now() + this.#aheadMs;
  }

  /** Decides requests in one round trip. Returns undefined when the store has lost its data. */
  async admit(
    workspace: LocalWorkspace,
    caller: Caller,
    charges: readonly Charge[],
  ): Promise<AdmitReply | undefined> {
    const { recordId, counters, offenders, unsharedBans } = workspace;
    const args = admitArguments({
      at: this.#options.storeClock?.now(),
      caller,
      charges,
      policy: this.#options.policy,
      ban: unsharedBans.has(caller.keyId) ? offenders.get(caller.keyId) : undefined,
      known: recordId === undefined ? counters : { recordId },
    });
    workspace.callsUnderWay += 1;
    try {
      const key = workspaceKey(caller.workspaceId);
      const numbers = await this.#store.run({ script: admitScript, key, args });
      this.#learnTime(numbers[0]!);
      const reply = parseAdmitReply(numbers);
      if (reply) adoptReply(workspace, caller.keyId, reply);
      return reply;
    } finally {
      workspace.callsUnderWay -= 1;
    }
  }

  async admitBucket(bucket: string, perMinute: number, count: number): Promise<BucketReply> {
    const args = [this.#instant(), String(perMinute), String(count)];
    const key = bucketKey(bucket);
    const reply = await this.#store.run({ script: bucketScript, key, args });
    const [refused, at, start, used] = reply as [number, number, number, number];
    this.#learnTime(at);
    return { isRefused: refused === 1, at, start, used };
  }

  async lift(caller: Pick<Caller, 'workspaceId' | 'keyId'>): Promise<void> {
    const args = [this.#instant(), caller.keyId];
    const key = workspaceKey(caller.workspaceId);
    await this.#store.run({ script: liftScript, key, args });
  }

  /** The same numbers for all nodes that count in this store. */
  async storeNames(): Promise<StoreNames> {
    const names = [this.#storeName, randomInt(1, NAME_MAX), NAME_KEPT_MS].map(String);
    const args = [this.#instant(), ...names];
    const reply = await this.#store.run({ script: nameScript, key: NAMES_KEY, args });
    const [name, before] = reply as [number, number];
    this.#storeName = name;
    return [name, before];
  }

  #learnTime(at: number): void {
    this.#aheadMs = at - this.#options.clock.now();
  }

  #instant(): string {
    return String(this.#options.storeClock?.now() ?? '');
  }
}
