import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { load } from '../../../bench/load.ts';

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.end('ok');
    else answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const get = () => 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n';

it('fails when the service closes a connection instead of answering', async () => {
  const port = await serve((request) => request.socket.end());
  const loading = load({ ports: [port], connections: 2, requests: 10, request: get });
  await expect(loading).rejects.toThrow('closed a connection');
});

it('keeps the latencies of rejected requests apart', async () => {
  let count = 0;
  const port = await serve((_, response) => {
    count += 1;
    response.statusCode = count % 4 === 0 ? 503 : 200;
    response.end('answer');
  });
  const result = await load({ ports: [port], connections: 2, requests: 20, request: get });
  expect([...result.statuses].sort()).toEqual([
    [200, 15],
    [503, 5],
  ]);
  expect([result.latencies.length, result.rejected.length]).toEqual([15, 5]);
});
