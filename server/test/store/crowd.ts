// A crowd of buyers: many keep-alive connections, spread over every node that serves one database.

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { startApp } from '../../src/app.ts';
import { Shop } from './shop.ts';

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
  body: any;
}

const CONNECTIONS = 100;
const BUSY_MS = 50;

export class Crowd {
  readonly shop: Shop;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
  readonly #addresses: string[];
  #sent = 0;

  constructor(shop: Shop, addresses: string[]) {
    this.shop = shop;
    this.#addresses = addresses;
  }

  /**
   * Each request goes to the next node. A node that is too busy says 503; the request is then sent again
   * under its Idempotency-Key, as the documentation tells buyers to do, so that it takes effect once.
   */
  async call(method: string, path: string, input?: unknown, key?: string): Promise<Reply> {
    const needsKey = method !== 'GET' && this.#addresses.length > 1;
    const usedKey = key ?? (needsKey ? `crowd-${randomUUID()}` : undefined);
    for (;;) {
      const reply = await this.#send(method, path, input, usedKey);
      const isRunning = key === undefined && reply.body?.code === 'idempotency_in_progress';
      if (reply.status !== 503 && !isRunning) return reply;
      await pause(BUSY_MS);
    }
  }

  #send(method: string, path: string, input: unknown, key: string | undefined): Promise<Reply> {
    const address = this.#addresses[this.#sent++ % this.#addresses.length];
    const headers = {
      authorization: `Bearer ${this.shop.app.key}`,
      ...(input === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${address}/v1${path}`, { method, agent: this.#agent, headers });
      sent.on('error', reject);
      sent.on('response', async (response) => {
        let received = '';
        for await (const chunk of response.setEncoding('utf8')) received += chunk;
        const body = received === '' ? undefined : JSON.parse(received);
        resolve({ status: response.statusCode!, body });
      });
      sent.end(input === undefined ? undefined : JSON.stringify(input));
    });
  }

  place(petId: number, more: object = {}): Promise<Reply> {
    return this.call('POST', '/store/orders', { petId, ...more });
  }

  complete(order: number): Promise<Reply> {
    return this.call('PATCH', `/store/orders/${order}`, { complete: true });
  }

  cancel(order: number): Promise<Reply> {
    return this.call('DELETE', `/store/orders/${order}`);
  }

  /** A crowd on other connections, which does not wait for this one. */
  others(): Crowd {
    return new Crowd(this.shop, this.#addresses);
  }

  leave(): void {
    this.#agent.destroy();
  }
}

/** Opens a shop before the tests and closes it after them; with two nodes where they can share a database. */
export function gathering(): () => Crowd {
  let crowd: Crowd;
  const closers: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    const shop = await Shop.open();
    const { config, clock } = shop.app;
    const addresses = [shop.app.address];
    if (config.PETSTORE_DATABASE_URL !== undefined) {
      const parts = { clock, timeoutFactor: 10 };
      const second = await startApp(config, pino({ level: 'silent' }), parts);
      addresses.push(second.url);
      closers.push(second.stop);
    }
    crowd = new Crowd(shop, addresses);
    closers.push(() => crowd.leave());
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });
  return () => crowd;
}
