import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server in place of the service, whose answers say their version as those of the service do. Returns its URL. */
export async function fakeService(answer: RequestListener): Promise<string> {
  const server = createServer((req, res) => {
    res.setHeader('x-api-version', '1.0.0');
    answer(req, res);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
