import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { onDatabase } from '../../support/servers.ts';
import { createCategory, createWebhook, TestReceiver } from '../webhooks/receiver-app.ts';

let app: TestApp;
const lines: string[] = [];
const webhooks = async () =>
  (await app.call('GET', '/readyz?verbose')).body.checks.find(
    ({ name }: { name: string }) => name === 'webhooks',
  );
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

it('/readyz?verbose says that events of a feed without a webhook get no numbers', async () => {
  const url = app.config.PETSTORE_DATABASE_URL!;
  await onDatabase(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM event_heads WHERE workspace_id = 1 FOR UPDATE');
    await createCategory(app, 'Birds');
    const age = (ms: number) =>
      onDatabase(url, (other) =>
        other.query(`UPDATE event_arrivals SET at = at - ${ms} WHERE workspace_id = 1`),
      );
    await age(60_000);
    await expect.poll(async () => (await webhooks()).feedDelaySeconds).toBeGreaterThan(59);
    expect(await webhooks()).toMatchObject({ ok: true });
    await age(70_000);
    await expect.poll(async () => (await webhooks()).ok).toBe(false);
    expect((await webhooks()).action).toContain('event_heads');
    await client.query('ROLLBACK');
  });
  await app.call('GET', '/v1/events');
  await expect.poll(async () => (await webhooks()).ok).toBe(true);
});

it('/readyz?verbose says that webhooks wait for numbers, and names what holds them up', async () => {
  const url = app.config.PETSTORE_DATABASE_URL!;
  const receiver = await new TestReceiver().listen();
  onTestFinished(() => receiver.close());
  await createWebhook(app, { url: receiver.url, types: ['*'] });
  const isIdle = async () =>
    (await onDatabase(url, (client) => client.query('SELECT due_at, is_verified FROM webhooks')))
      .rows[0];
  await expect.poll(isIdle).toMatchObject({ due_at: null, is_verified: '1' });
  await onDatabase(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM event_heads WHERE workspace_id = 1 FOR UPDATE');
    await createCategory(app, 'Cats');
    await onDatabase(url, (other) =>
      other.query('UPDATE event_arrivals SET at = at - 20000 WHERE workspace_id = 1'),
    );
    await expect.poll(webhooks).toMatchObject({ ok: false });
    expect((await webhooks()).feedDelaySeconds).toBeGreaterThan(19);
    expect((await webhooks()).action).toContain('event_heads');
    const { text } = await app.call('GET', '/metrics');
    expect(text).toMatch(/^petstore_feed_delay_seconds [2-9]\d/m);
    await client.query('ROLLBACK');
  });
  await expect.poll(async () => (await webhooks()).ok).toBe(true);
});

it('/readyz?verbose names the jobs that no node does', async () => {
  const url = app.config.PETSTORE_DATABASE_URL!;
  const taken = () =>
    onDatabase(url, (client) =>
      client.query(
        "UPDATE leases SET holder = 'gone', number = number + 1, until = 0 WHERE name = 'expiry' RETURNING name",
      ),
    );
  const lease = async () => (await app.call('GET', '/readyz?verbose')).body.checks.at(-1);
  expect(await lease()).toMatchObject({ name: 'lease', ok: true });
  await expect
    .poll(async () => {
      await taken();
      return lease();
    })
    .toMatchObject({ ok: false, missing: ['expiry'] });
  // This node takes it over.
  await expect.poll(async () => (await lease()).ok).toBe(true);
});
