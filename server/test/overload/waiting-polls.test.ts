import { expect, it, vi } from 'vitest';
import { Workload } from '../../src/http/steps/shed-load.ts';
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
