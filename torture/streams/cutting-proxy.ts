import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { newRandom } from '../random.ts';

const CUT_BYTES_MAX = 4_000;
const TRY_AGAIN_MS = 20;

/** Passes each connection to one of the nodes and cuts it after a random number of bytes of the response. */
export class CuttingProxy {
  cuts = 0;
  isCutting = true;
  readonly #ports: () => readonly number[];
  readonly #random = newRandom();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer({ noDelay: true }, (client) => void this.#join(client));

  private constructor(ports: () => readonly number[]) {
    this.#ports = ports;
  }

  static async start(ports: () => readonly number[]): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(ports);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #join(client: Socket): Promise<void> {
    this.#track(client);
    const node = await this.#connect(client);
    if (!node) return;
    this.#track(node);
    let left = this.isCutting ? Math.floor(this.#random() * CUT_BYTES_MAX) : Infinity;
    client.on('data', (bytes) => void node.write(bytes));
    node.on('data', (bytes: Buffer) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      this.cuts += 1;
      // The client gets what was passed on; the node sees the connection break.
      client.end();
      node.destroy();
    });
    client.once('close', () => node.destroy());
    node.once('close', () => client.end());
  }

  async #connect(client: Socket): Promise<Socket | undefined> {
    while (!client.destroyed) {
      const ports = this.#ports();
      const port = ports[Math.floor(this.#random() * ports.length)];
      if (port !== undefined) {
        const node = connect({ port, host: '127.0.0.1', noDelay: true });
        const isOpen = await once(node, 'connect').then(
          () => true,
          () => false,
        );
        if (isOpen) return node;
      }
      // A node that restarts: the client waits.
      await pause(TRY_AGAIN_MS);
    }
    return undefined;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
