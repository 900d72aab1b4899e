// A network between the service and PostgreSQL that fails where a test wants it to.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/**
 * What happens to the next commit: it never arrives; it arrives and its answer never comes back; or it
 * arrives late, once `deliver` is called, when the sender has long been cut off.
 */
export type CommitFault = 'lose request' | 'lose answer' | 'delay request';

// Statements are prepared under a print of their text, so this is in every batch that commits.
const COMMIT_NAME = hash('sha256', 'COMMIT', 'base64url').slice(0, 22);

export class PostgresProxy {
  /** While set, everything that is sent either way vanishes and nobody is told. */
  isSilent = false;
  fault: CommitFault | undefined;
  /** Whether the fault is for the next batch, and not for the next that commits in so many words. */
  isForNext = false;
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #held: { socket: Socket; batch: Buffer } | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#join(client));
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

  /** Lets the delayed commit arrive and gives the server's answer. */
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
    let isAnswerLost = false;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
    client.on('data', (data: Buffer) => {
      if (this.isSilent) return;
      const fault = this.isForNext || data.includes(COMMIT_NAME) ? this.fault : undefined;
      if (!fault) return void server.write(data);
      this.fault = undefined;
      this.isForNext = false;
      if (fault === 'delay request') this.#held = { socket: server, batch: data };
      if (fault === 'lose answer') isAnswerLost = server.write(data) || true;
      if (fault !== 'lose answer') client.destroy();
    });
    server.on('data', (data: Buffer) => {
      if (isAnswerLost) client.destroy();
      else if (!this.isSilent) client.write(data);
    });
    client.on('close', () => this.#held?.socket !== server && server.destroy());
    server.on('close', () => client.destroy());
  }
}
