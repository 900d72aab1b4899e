import type { ValkeyAddress, ValkeyTarget } from '../../lib/network/valkey-url.ts';
import { UnusableLimiterStore } from '../limiter.ts';
import { checkMode, explained, nameOf } from './server-check.ts';
import { type Reply, ValkeyClient } from './valkey-client.ts';
import { isRedirect, type ScriptCall, ValkeyConnection } from './valkey-connection.ts';
import type { StoreServer, ValkeyStore, ValkeyStoreOptions } from './valkey-store.ts';

const SLOTS = 16_384;
/** How old the map of the slots may be. After a redirect and a lost connection it is read again sooner. */
const REFRESH_MS = 1_000;
const REFRESH_MIN_MS = 100;
const ANSWER_MAX_MS = 1_000;
/** A server that has had no slot for this time is left. A server that has just got its first is not known to all. */
const UNUSED_MAX_MS = 10_000;
/** A slot moves once, and its keys one by one: more redirects than these show that servers disagree. */
const REDIRECTS_MAX = 5;

interface Server {
  address: ValkeyAddress;
  connection: ValkeyConnection;
  usedAt: number;
}

type SlotRange = [first: number, last: number, master: [host: string | null, port: number]];

/**
 * A connection to each master. A master that is lost or moves its slots concerns the workspaces in its slots alone.
 * A redirect says that a server has not run the call, so the next server gets it. After any other failure the call may
 * have been run, and it is not sent again.
 */
export class Cluster implements ValkeyStore {
  readonly #target: ValkeyTarget;
  readonly #options: ValkeyStoreOptions;
  readonly #servers = new Map<string, Server>();
  #slots: (Server | undefined)[] = new Array(SLOTS).fill(undefined);
  #refreshing: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  readonly #refreshes: NodeJS.Timeout;
  #isClosed = false;

  constructor(target: ValkeyTarget, options: ValkeyStoreOptions) {
    this.#target = target;
    this.#options = options;
    this.#refreshes = setInterval(() => this.#refresh(), REFRESH_MS).unref();
    this.#refresh();
  }

  get isShared(): boolean {
    return [...new Set(this.#slots)].every((server) => server?.connection.isUp);
  }

  get servers(): StoreServer[] {
    return [...new Set(this.#slots)].flatMap((server) =>
      server ? [{ address: nameOf(server.address), isUp: server.connection.isUp }] : [],
    );
  }

  isUp(key: string): boolean {
    return this.#slots[hashSlot(key)]?.connection.isUp ?? false;
  }

  generation(key: string): number {
    return this.#slots[hashSlot(key)]?.connection.generation ?? 0;
  }

  async run(call: ScriptCall): Promise<number[]> {
    const slot = hashSlot(call.key);
    let server = this.#slots[slot];
    let isAsking = false;
    for (let redirects = 0; server; redirects++) {
      try {
        return await server.connection.run({ ...call, isAsking });
      } catch (err) {
        if (!isRedirect(err) || redirects === REDIRECTS_MAX) throw err;
        const [kind, , address] = err.message.split(' ') as [string, string, string];
        isAsking = kind === 'ASK';
        server = this.#serverAt(parseAddress(address, server.address));
        if (!isAsking) {
          this.#slots[slot] = server;
          this.#refresh();
        }
        await server.connection.tried;
      }
    }
    throw new Error('no master of the Cluster has the slot');
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#refreshes);
    for (const { connection } of this.#servers.values()) connection.close();
  }

  #serverAt(address: ValkeyAddress): Server {
    const name = nameOf(address);
    const known = this.#servers.get(name);
    if (known) return known;
    const connection = new ValkeyConnection({
      locate: async () => address,
      topology: 'cluster',
      settings: this.#target,
      silenceMaxMs: this.#options.silenceMaxMs,
      onDown: (err) => {
        if (this.#slots.includes(server)) this.#options.onDown(err);
        this.#refresh();
      },
      onUp: () => this.#noteUp(),
    });
    const server = { address, connection, usedAt: performance.now() };
    this.#servers.set(name, server);
    return server;
  }

  #noteUp(): void {
    if (this.isShared) this.#options.onUp();
  }

  #refresh(): void {
    if (this.#isClosed || this.#refreshing) return;
    if (performance.now() - this.#refreshedAt < REFRESH_MIN_MS) return;
    this.#refreshedAt = performance.now();
    this.#refreshing = this.#readSlots()
      .then((ranges) => this.#adopt(ranges))
      .catch((err) => this.#options.onDown(err))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  /** Asks servers in use first, in random order: one that is cut off may have an old map. */
  async #readSlots(): Promise<SlotRange[]> {
    const servers = [...this.#servers.values()].sort(() => Math.random() - 0.5);
    for (const { address, connection } of servers.filter(({ connection }) => connection.isUp)) {
      const reply = await connection.send(SLOTS_COMMAND).catch(() => undefined);
      if (reply) return rangesOf(reply, address);
    }
    const failures: Error[] = [];
    for (const address of [...this.#target.addresses, ...servers.map(({ address }) => address)]) {
      try {
        return rangesOf(await this.#askOnce(address), address);
      } catch (err) {
        failures.push(err as Error);
      }
    }
    throw failures.find((err) => err instanceof UnusableLimiterStore) ?? failures[0]!;
  }

  async #askOnce(address: ValkeyAddress): Promise<Reply> {
    const onClose = () => {};
    const options = { ...this.#target, address, connectMaxMs: ANSWER_MAX_MS, onClose };
    const client = new ValkeyClient(options);
    const timer = setTimeout(() => client.close(new Error('no answer')), ANSWER_MAX_MS);
    try {
      await client.opened;
      await checkMode(client, 'cluster');
      return await client.send(SLOTS_COMMAND);
    } catch (err) {
      throw explained(err as Error, address);
    } finally {
      clearTimeout(timer);
      client.close(new Error('done'));
    }
  }

  #adopt(ranges: readonly SlotRange[]): void {
    if (this.#isClosed) return;
    const named: (Server | undefined)[] = new Array(SLOTS).fill(undefined);
    for (const [first, last, [host, port]] of ranges) {
      named.fill(this.#serverAt({ host: host!, port }), first, last + 1);
    }
    // Right after a failover some servers still name the old master. A new one that is not connected yet can wait:
    // the old one redirects to it.
    const slots = this.#slots.map((known, slot) => {
      const next = named[slot];
      return known?.connection.isUp && !next?.connection.isUp ? known : next;
    });
    this.#slots = slots;
    const now = performance.now();
    for (const server of new Set(slots)) if (server) server.usedAt = now;
    for (const [name, { usedAt, connection }] of this.#servers) {
      if (now - usedAt < UNUSED_MAX_MS) continue;
      connection.close();
      this.#servers.delete(name);
    }
    if (slots.includes(undefined)) this.#options.onDown(new Error('slots without a master'));
    this.#noteUp();
  }
}

const SLOTS_COMMAND = ['CLUSTER', 'SLOTS'];

/** A server that does not know its own address leaves it out. */
function rangesOf(reply: Reply, asked: ValkeyAddress): SlotRange[] {
  return (reply as SlotRange[]).map(([first, last, [host, port]]) => [
    first,
    last,
    [host || asked.host, port],
  ]);
}

/** `10.0.0.1:6379`; an empty host is that of the server which sent it. */
function parseAddress(text: string, sender: ValkeyAddress): ValkeyAddress {
  const at = text.lastIndexOf(':');
  const host = text.slice(0, at).replace(/^\[|\]$/g, '');
  return { host: host || sender.host, port: Number(text.slice(at + 1)) };
}

const POLYNOMIAL = 0x1021;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc;
});

/** The slot of a Cluster that has the key: CRC-16/XMODEM of what stands in its first braces. */
export function hashSlot(key: string): number {
  const tag = /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) crc = ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ byte]!;
  return crc % SLOTS;
}
