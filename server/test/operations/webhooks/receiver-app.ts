import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { beforeAll, beforeEach, expect } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';

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

interface ReceiverTest {
  app: TestApp;
  receiver: TestReceiver;
  key: string;
}

/**
 * One service for the file; for each test a workspace and a receiver, because a webhook of an earlier test may still be
 * pinged.
 */
export function receiverTests(onBegin: (test: ReceiverTest) => void) {
  let app: TestApp;
  let test: ReceiverTest;
  beforeAll(async () => {
    app = await testApp();
  });
  beforeEach(async () => {
    const receiver = await new TestReceiver().listen();
    test = { app, receiver, key: await app.addWorkspace() };
    onBegin(test);
    return () => receiver.close();
  });
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, `/v1${path}`, { key: test.key, ...(body === undefined ? {} : { body }) });
  const get = async (id: number) => (await call('GET', `/webhooks/${id}`)).body;
  const create = (body: object = {}) =>
    createWebhook(app, { url: test.receiver.url, ...body }, test.key);
  const verified = async (body: object = {}) => {
    const webhook = await create(body);
    await expect.poll(async () => (await get(webhook.id)).state, WAIT).toBe('enabled');
    return webhook;
  };
  return { call, get, create, verified };
}
