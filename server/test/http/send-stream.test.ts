import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { streamSender } from '../../src/http/response/send-stream.ts';
import type { StreamSource } from '../../src/operations/success.ts';

it('ends a stream that is opened while the node stops, and says when to come back', async () => {
  const source: StreamSource = {
    start: '0',
    read: async () => ({ events: [], cursor: '0', hasMore: false }),
    subscribe: () => () => undefined,
    isAllowed: async () => true,
    open: (onStop) => {
      queueMicrotask(onStop);
      return () => undefined;
    },
  };
  const drain = { markLastResponse: () => false } as never;
  const sendStream = streamSender({ drain, recordRequest: () => undefined });
  const charge = () => new Promise<void>((resolve) => setImmediate(resolve));
  const server = createServer((raw, response) => {
    const state = { headers: [], rateHeaders: [], closesConnection: false };
    const request = { raw, state } as unknown as FastifyRequest;
    const reply = { raw: response, hijack: () => undefined } as unknown as FastifyReply;
    void sendStream(request, reply, { source, charge });
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(text).toMatch(/^retry: 3000\nid: 0\n\nretry: \d+\n\n$/);
});
