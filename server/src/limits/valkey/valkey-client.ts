import { isIP } from 'node:net';
import { RESP_TYPES, RedisClient } from '@redis/client';
import type { ValkeyAddress, ValkeyCredentials } from '../../lib/network/valkey-url.ts';

export type Reply = number | string | null | Reply[];

/** How every connection of a node is made. */
export interface ClientSettings {
  credentials: ValkeyCredentials;
  isEncrypted: boolean;
  database: number;
}

interface ValkeyClientOptions extends ClientSettings {
  address: ValkeyAddress;
  connectMaxMs: number;
  /** A channel to listen to beside the commands, if the server lets this user. */
  channel?: { name: string; onMessage: () => void };
  /** Called once, when the connection ends or cannot be made. */
  onClose: (err: Error) => void;
}

/**
 * One connection to Valkey or Redis, which never connects again by itself. A command is sent at most once: when the
 * connection ends, the commands under way are rejected, since the store may have run them. None waits for a
 * connection.
 */
export class ValkeyClient {
  readonly address: ValkeyAddress;
  /** Rejects if the connection cannot be made. */
  readonly opened: Promise<unknown>;
  readonly #client: ReturnType<typeof newClient>;
  readonly #onClose: (err: Error) => void;
  #isClosed = false;

  constructor(options: ValkeyClientOptions) {
    this.address = options.address;
    this.#onClose = options.onClose;
    this.#client = newClient(options);
    this.#client.on('error', (err: Error) =>
      this.close(err instanceof TypeError ? strange(err) : err),
    );
    this.opened = this.#client.connect();
    this.opened.catch((err: Error) => this.close(err));
    const { channel } = options;
    const listening = this.opened.then(
      () => channel && this.#client.subscribe(channel.name, channel.onMessage),
    );
    listening.catch(() => {});
  }

  send(words: readonly string[]): Promise<Reply> {
    return this.#client.sendCommand(words);
  }

  /** Ends the connection and rejects the commands under way. */
  close(err: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose(err);
    this.#client.destroy();
  }
}

/** The library expects no reply before a command. A server that is full sends one, and so do other programs. */
function strange(cause: TypeError): Error {
  return new Error('the server sent a reply to no command: it is full, or no Valkey', { cause });
}

function newClient(options: ValkeyClientOptions) {
  const { address, credentials, isEncrypted, database, connectMaxMs, channel } = options;
  const { host, port } = address;
  const socket = {
    host,
    port,
    connectTimeout: connectMaxMs,
    reconnectStrategy: false as const,
  };
  // A certificate names a host; an address is no name to ask for.
  const tls = { tls: true as const, ...(isIP(host) ? {} : { servername: host }) };
  // Without the methods for every command that `createClient` makes anew for each client, which takes milliseconds.
  return new RedisClient({
    // Version 3 lets commands and messages of a channel share a connection.
    RESP: channel ? 3 : 2,
    database,
    ...(credentials.username === undefined ? {} : { username: credentials.username }),
    ...(credentials.password === undefined ? {} : { password: credentials.password }),
    socket: isEncrypted ? { ...socket, ...tls } : socket,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // ValkeyConnection has one timer for all calls, which costs less than one for each.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.MAP]: Array } },
  });
}
