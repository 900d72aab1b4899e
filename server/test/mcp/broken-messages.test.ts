import fc from 'fast-check';
import { expect, it } from 'vitest';
import { brokenMessages, messageFaults } from '../../../fuzz/messages.ts';
import { testApp } from '../support/app.ts';
import { repeats } from '../support/effort.ts';
import { send } from './agent.ts';

const RUNS = repeats({ usual: 800, thorough: 100_000 });

it(`${RUNS} broken messages are all answered, none with 5xx`, async () => {
  const app = await testApp({ engine: 'sqlite' });
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(brokenMessages(), async ({ body, headers }) => {
      // Messages that call no tool have a cap per minute.
      app.clock.advance(2_000);
      const type = { 'content-type': 'application/json' };
      const answer = await app.call('POST', '/mcp', { body, headers: { ...headers, ...type } });
      statuses.add(answer.status);
      expect(messageFaults(answer.status, answer.headers, answer.text), body).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 400, 404]));
  app.clock.advance(61_000);
  expect((await send(app, 'tools/list')).status).toBe(200);
});
