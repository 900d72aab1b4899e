import { beforeAll, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { onDatabase } from '../../support/servers.ts';
import { createCategory } from '../webhooks/receiver-app.ts';

let app: TestApp;
const lines: string[] = [];
beforeAll(async () => {
  app = await testApp({ engine: 'postgres', lines });
});

it('shows in a metric and in the log, once a minute, that new events cannot be numbered', async () => {
  const list = () => app.call('GET', '/v1/events');
  const known = (await list()).body.length;
  await onDatabase(app.config.PETSTORE_DATABASE_URL!, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM event_heads WHERE workspace_id = 1 FOR UPDATE');
    // Nothing that changes the store waits for the feed.
    await createCategory(app, 'Dogs');
    for (let at = 0; at < 2; at += 1) expect((await list()).body).toHaveLength(known);
    await client.query('ROLLBACK');
  });
  expect((await list()).body).toHaveLength(known + 1);
  const { text } = await app.call('GET', '/metrics');
  expect(text).toContain('petstore_feed_delays_total 2');
  const logged = lines.filter((line) => line.includes('new events cannot be numbered'));
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0]!)).toMatchObject({ workspaceId: 1 });
});
