import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const ASK_MS = 100;
/** A node that does not say by then whether it is ready hangs, even on a slow machine. */
const READY_MS = 60_000;
const TRIES_MAX = 500;
const TRY_AGAIN_MS = 20;

/**
 * A minimal TCP load balancer. Each new connection goes to the next node whose /readyz answers 200. It does not look at
 * the bytes.
 */
export class Balancer {
  readonly #server: Server;
  readonly #ports: () => readonly number[];
  readonly #sockets = new Set<Socket>();
  #ready: number[] = [];
  #turn = 0;
  #isRunning = true;

  private constructor(ports: () => readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ noDelay: true }, (client) => void this.#join(client));
  }

  static async start(ports: () => readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await balancer.#ask();
    void balancer.#keepAsking();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  stop(): void {
    this.#isRunning = false;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #keepAsking(): Promise<void> {
    while (this.#isRunning) {
      await pause(ASK_MS);
      await this.#ask();
    }
  }

  async #ask(): Promise<void> {
    const ports = this.#ports();
    const answers = await Promise.all(ports.map(isReady));
    this.#ready = ports.filter((_, index) => answers[index]);
  }

  async #join(client: Socket): Promise<void> {
    this.#track(client);
    for (let tries = 0; tries < TRIES_MAX && !client.destroyed; tries += 1) {
      this.#turn += 1;
      const port = this.#ready[this.#turn % this.#ready.length];
      const node = port === undefined ? undefined : await connected(port);
      if (!node) {
        // While no node is ready, the client waits instead of being refused.
        await pause(TRY_AGAIN_MS);
        continue;
      }
      this.#track(node);
      client.pipe(node).pipe(client);
      client.once('close', () => node.destroy());
      node.once('close', () => client.destroy());
      return;
    }
    client.destroy();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function connected(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(READY_MS),
    });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
