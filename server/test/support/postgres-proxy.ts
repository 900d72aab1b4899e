// A TCP proxy between the service and PostgreSQL that fails where a test needs it.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/**
 * What happens to the next commit. It is lost. Its answer is lost. It is delayed until `deliver` is called, and the
 * connection is closed meanwhile. Or the last message of its answer (ReadyForQuery) is lost: with the connection, or with
 * everything that follows while the connection stays open.
 */
export type CommitFault =
  | 'lose request'
  | 'lose answer'
  | 'delay request'
  | 'lose last word'
  | 'fall silent before the last word';

// ReadyForQuery: a type byte and five more.
const LAST_WORD = 'Z'.charCodeAt(0);
const LAST_WORD_BYTES = 6;
// Prepared statements are named after a hash of their text, so every batch that commits has this name.
const COMMIT_NAME = hash('sha256', 'COMMIT', 'base64url').slice(0, 22);
// A batch ends with Sync. What a connection sends while it is opened does not, and a store opens one each second to look
// for the primary.
const SYNC = Buffer.from('S\0\0\0\x04');

export class PostgresProxy {
  /** While set, bytes of both directions are dropped and the connections stay open. */
  isSilent = false;
  fault: CommitFault | undefined;
  /** Whether the fault hits the next batch, also one without an explicit COMMIT. */
  isForNext = false;
  /** The fault hits only a connection over which this text was sent. */
  onlyAfter = '';
  /** How many times the fault happens. */
  times = 1;
  /** How many batches clients have sent so far. */
  batches = 0;
  readonly #server: Server;
  #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #held: { socket: Socket; batch: Buffer } | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    // Without this, the end of a connection would pass even while bytes are dropped.
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
  }

  static async start(target: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    const address = this.#server.address();
    url.port = typeof address === 'object' && address ? String(address.port) : '';
    return url.href;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.#clients.size;
  }

  /** Tells every client that its server is in recovery, as one does that was demoted. */
  demote(): void {
    const status = Buffer.from('S0000in_hot_standby\0on\0');
    status.writeInt32BE(status.length - 1, 1);
    for (const client of this.#clients) client.write(status);
  }

  /** From now on the address leads to another server. All connections are cut. */
  leadTo(target: string): void {
    this.leadNextTo(target);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on new connections lead to another server. The others stay where they are. */
  leadNextTo(target: string): void {
    this.#target = new URL(target);
  }

  /** Sends the delayed commit and returns the answer of the server. */
  async deliver(): Promise<string> {
    const { socket, batch } = this.#held!;
    this.#held = undefined;
    const answered = once(socket, 'data');
    socket.write(batch);
    const [answer] = (await answered) as [Buffer];
    socket.destroy();
    return answer.toString('latin1');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = dial(Number(this.#target.port), this.#target.hostname);
    let losing: CommitFault | undefined;
    let isChosen = false;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    client.on('data', (data: Buffer) => {
      const isBatch = data.subarray(-SYNC.length).equals(SYNC);
      if (isBatch) this.batches += 1;
      if (this.isSilent) return;
      isChosen ||= this.onlyAfter !== '' && data.includes(this.onlyAfter);
      const isAimedAt = isBatch && (this.isForNext || data.includes(COMMIT_NAME));
      const isHit = isAimedAt && (isChosen || this.onlyAfter === '');
      const fault = isHit ? this.fault : undefined;
      if (!fault) return void server.write(data);
      this.times -= 1;
      if (this.times === 0) this.#clearFault();
      if (fault === 'delay request') this.#held = { socket: server, batch: data };
      if (fault === 'lose request' || fault === 'delay request') return void client.destroy();
      losing = fault;
      server.write(data);
    });
    server.on('data', (data: Buffer) => {
      if (losing === 'lose answer') client.destroy();
      else if (losing) this.#keepLastWord(client, data, losing);
      else if (!this.isSilent) client.write(data);
    });
    client.on('end', () => this.isSilent || client.end());
    client.on('close', () => this.#held?.socket !== server && server.destroy());
    server.on('close', () => this.isSilent || client.destroy());
  }

  #clearFault(): void {
    this.fault = undefined;
    this.isForNext = false;
    this.onlyAfter = '';
    this.times = 1;
  }

  #keepLastWord(client: Socket, answer: Buffer, fault: CommitFault): void {
    if (this.isSilent) return;
    if (answer.at(-LAST_WORD_BYTES) !== LAST_WORD) return void client.write(answer);
    const said = answer.subarray(0, -LAST_WORD_BYTES);
    if (fault === 'lose last word') return void client.end(said);
    client.write(said);
    this.isSilent = true;
  }
}
