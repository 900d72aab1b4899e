import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { warningsOf } from '../support/log-lines.ts';
import { useServerClock } from '../support/servers.ts';

describe("a node whose clock differs from PostgreSQL's", () => {
  let app: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    app = await testApp({ engine: 'postgres', lines });
    await useServerClock(app.config.PETSTORE_DATABASE_URL!);
  });

  const ready = () => app.call('GET', '/readyz', { key: null });
  /** The answer, once the node has checked its clock again. */
  const readyWith = async (status: number) => {
    await expect.poll(async () => (await ready()).status).toBe(status);
    return ready();
  };

  async function metric(): Promise<string | undefined> {
    const { text } = await app.call('GET', '/metrics', { key: null });
    return /^petstore_clock_skew_seconds (.+)$/m.exec(text)?.[1];
  }

  it('is ready, without a warning, while they agree, and shows the difference', async () => {
    expect((await ready()).status).toBe(200);
    expect(Math.abs(Number(await metric()))).toBeLessThan(2);
    expect(warningsOf(lines)).toEqual([]);
  });

  it('warns once above 2 s and stays ready', async () => {
    app.clock.advance(10_000);
    await expect.poll(async () => (await ready()) && Number(await metric())).toBeGreaterThan(8);
    expect((await ready()).status).toBe(200);
    expect(warningsOf(lines)).toHaveLength(1);
    expect(warningsOf(lines)[0]).toMatchObject({
      msg: expect.stringContaining("differs from the database's"),
    });
  });

  it('refuses changes above 30 s and writes no row, answers reads, and serves again once they agree', async () => {
    const create = () => app.call('POST', '/v1/categories', { body: { name: 'Birds' } });
    const events = async () => (await app.call('GET', '/v1/events')).body;
    const before = await events();
    app.clock.advance(80_000);
    await readyWith(503);
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(refused.body.message).toMatch(/clock of this node is \d+ s ahead of the database's/);
    expect(refused.headers.get('retry-after')).toBeTruthy();
    const ping = await app.call('POST', '/v1/webhooks/1/ping');
    expect(ping.status).toBe(503);
    expect(await events()).toEqual(before);
    expect((await app.call('GET', '/v1/categories')).body).not.toContainEqual(
      expect.objectContaining({ name: 'Birds' }),
    );
    app.clock.advance(-80_000);
    await readyWith(200);
    expect((await create()).status).toBe(201);
  });

  it('is not ready above 30 s, in both directions, and is again once they agree', async () => {
    app.clock.advance(80_000);
    const ahead = await readyWith(503);
    expect(ahead.body).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/clock of this node is \d+ s ahead of the database's/),
    });
    app.clock.advance(-180_000);
    const message = async () => (await ready()).body.message;
    await expect.poll(message).toMatch(/\d+ s behind the database's; synchronise/);
    expect((await ready()).status).toBe(503);
    expect(Number(await metric())).toBeLessThan(-80);
    app.clock.advance(90_000);
    await readyWith(200);
  });
});

it('shows no difference on SQLite, which has no clock of its own', async () => {
  const app = await testApp({ engine: 'sqlite' });
  app.clock.advance(90_000);
  expect((await app.call('GET', '/readyz', { key: null })).status).toBe(200);
  const { text } = await app.call('GET', '/metrics', { key: null });
  expect(text).not.toMatch(/^petstore_clock_skew_seconds /m);
  await app.stop();
});
