import { connect } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Workload } from '../../src/http/workload.ts';
import { CredentialCache } from '../../src/services/credential-cache.ts';
import { OpenReaders } from '../../src/services/events/open-readers.ts';
import { callTool } from '../mcp/agent.ts';
import { testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

it('polls that wait take no place from reads, which are still counted', async () => {
  const workload = new Workload({ runningMax: 2 });
  const start = vi.spyOn(workload, 'start');
  const app = await testApp({ parts: { workload } });
  const poll = app.call('GET', '/v1/events?after=latest&wait=25');
  const toolPoll = callTool(
    app,
    'listEvents',
    { after: 'latest', wait: 25 },
    { search: '?tools=events' },
  );
  await vi.waitUntil(() => start.mock.calls.length === 2, { timeout: 60_000 });
  expect((await app.call('GET', '/v1/pets')).status).toBe(200);
  workload.start('read');
  expect((await app.call('GET', '/v1/events')).status).toBe(200);
  workload.start('read');
  expectError(await app.call('GET', '/v1/events?after=latest&wait=25'), 'overloaded');
  expectError(await app.call('GET', '/v1/pets'), 'overloaded');
  workload.end('read');
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  expect((await poll).body).toHaveLength(1);
  expect((await toolPoll).value.items).toHaveLength(1);
  expect(workload.isFull('read')).toBe(false);
  workload.start('read');
  expect(workload.isFull('read')).toBe(true);
});

it('a poll whose client has gone before it begins to wait does not wait', async () => {
  const app = await testApp();
  onTestFinished(() => void vi.restoreAllMocks());
  const { identify } = CredentialCache.prototype;
  const found = Promise.withResolvers<void>();
  const look = vi.spyOn(CredentialCache.prototype, 'identify');
  look.mockImplementation(async function (this: CredentialCache, key) {
    await found.promise;
    return identify.call(this, key);
  });
  const take = vi.spyOn(OpenReaders.prototype, 'take');
  const { hostname, port } = new URL(app.address);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET /v1/events?after=latest&wait=25 HTTP/1.1\r\nHost: a\r\nX-API-Key: ${app.key}\r\n\r\n`,
  );
  await vi.waitUntil(() => look.mock.calls.length === 1, { timeout: 60_000 });
  socket.destroy();
  const { server } = app.server;
  const countConnections = promisify(server.getConnections.bind(server));
  await vi.waitUntil(async () => (await countConnections()) === 0, { timeout: 60_000 });
  found.resolve();
  await vi.waitUntil(() => take.mock.calls.length === 1, { timeout: 60_000 });
  const [readers] = take.mock.contexts as OpenReaders[];
  await vi.waitUntil(() => readers!.count === 0, { timeout: 20_000 });
});
