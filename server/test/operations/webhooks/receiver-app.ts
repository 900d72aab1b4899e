import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { expect } from 'vitest';
import type { TestApp } from '../../support/app.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers with `status` and remembers what it got. */
export class TestReceiver {
  readonly received: Received[] = [];
  status = 200;
  answer = '';
  url = '';
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.received.push({
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      response.writeHead(this.status).end(this.answer);
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as { port: number };
    this.url = `http://127.0.0.1:${port}/hooks`;
    return this;
  }

  /** The types of what it got, in order. */
  types(): string[] {
    return this.received.map(({ body }) => JSON.parse(body).type);
  }
}

/** Creates a webhook, and fails unless it is created. */
export async function createWebhook(app: TestApp, body: object, key = app.key) {
  const answer = await app.call('POST', '/v1/webhooks', { body, key });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

export async function createCategory(app: TestApp, name: string, key = app.key): Promise<void> {
  const answer = await app.call('POST', '/v1/categories', { body: { name }, key });
  expect(answer.status, answer.text).toBe(201);
}

export const WAIT = { timeout: 50_000, interval: 20 };
