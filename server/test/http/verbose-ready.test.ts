import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseFileIn } from '../../src/datastore/sqlite/file.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { onDatabase, startRedis, type TestServer } from '../support/servers.ts';

const POLL = { timeout: 60_000, interval: 100 };
const isPostgres = process.env.TEST_ENGINE === 'postgres';
let redis: TestServer;
let app: TestApp;
beforeAll(async () => {
  redis = await startRedis();
  app = await testApp({ environment: { PETSTORE_VALKEY_URL: redis.url } });
});
afterAll(() => redis.stop());

function onFile(folder: string, text: string): void {
  const db = new Database(databaseFileIn(folder));
  db.exec(text);
  db.close();
}

async function verbose(headers: Record<string, string> = {}) {
  const response = await fetch(`${app.address}/readyz?verbose`, { headers });
  return { status: response.status, body: await response.json() };
}

describe('/readyz?verbose', () => {
  it('says what each part is like', async () => {
    // On a busy machine the store may be too slow for a moment.
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('ready');
    const { status, body } = await verbose();
    expect(status).toBe(200);
    const names = body.checks.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['database', 'limiter', 'webhooks', 'lease']);
    const hosts = isPostgres && [new URL(app.config.PETSTORE_DATABASE_URL!).host];
    expect(body.checks[0]).toMatchObject(
      isPostgres
        ? { ok: true, engine: 'postgresql', role: 'primary', pooling: 'session', hosts }
        : { ok: true, engine: 'sqlite' },
    );
    expect(body.checks[2]).toEqual({
      name: 'webhooks',
      ok: true,
      delivering: true,
      lagSeconds: 0,
      feedDelaySeconds: expect.any(Number),
    });
    const held = expect.arrayContaining(['clean-up', 'expiry', 'numbering']);
    expect(body.checks[3]).toMatchObject(
      isPostgres ? { ok: true, shared: true, held } : { ok: true, shared: false },
    );
    expect(body.checks).toContainEqual({
      name: 'limiter',
      ok: true,
      shared: true,
      topology: 'server',
      nodes: 1,
      apart: 0,
      hosts: [`127.0.0.1:${redis.port} up`],
    });
  });

  it('shows the same in the metrics', async () => {
    const metrics = async () => (await app.call('GET', '/metrics', { key: null })).text;
    for (const part of ['database', 'limiter', 'webhooks', 'lease']) {
      await expect.poll(metrics, POLL).toContain(`petstore_part_ok{part="${part}"} 1`);
    }
    const text = await metrics();
    expect(text).toMatch(/^petstore_feed_delay_seconds \d/m);
    expect(text).toContain('petstore_webhook_lag_seconds 0');
  });

  it('is degraded while a webhook is due and no node delivers', async () => {
    const off = await testApp({ environment: { PETSTORE_WEBHOOKS: 'off' } });
    const answer = async () => (await off.call('GET', '/readyz?verbose', { key: null })).body;
    expect((await answer()).checks[2]).toMatchObject({ ok: true, delivering: false });
    const body = { url: 'http://127.0.0.1:9/hook', types: ['*'] };
    expect((await off.call('POST', '/v1/webhooks', { body })).status).toBe(201);
    const change = async (text: string) => {
      if (isPostgres) await onDatabase(off.config.PETSTORE_DATABASE_URL!, (db) => db.query(text));
      else onFile(off.config.PETSTORE_DATA_DIR, text);
    };
    await change('UPDATE webhooks SET due_at = due_at - 60000');
    await expect.poll(async () => (await answer()).status, POLL).toBe('degraded');
    const { checks } = await answer();
    expect(checks[2]).toMatchObject({ name: 'webhooks', ok: false });
    expect(checks[2].lagSeconds).toBeGreaterThan(30);
    expect(checks[2].action).toContain('PETSTORE_WEBHOOKS');
    const { text } = await off.call('GET', '/metrics', { key: null });
    expect(text).toContain('petstore_part_ok{part="webhooks"} 0');
    expect(text).toMatch(/^petstore_webhook_lag_seconds [3-9]\d/m);
    // Nothing is delivered for a workspace that is suspended.
    await change('UPDATE webhooks SET paused_at = 1');
    await expect
      .poll(async () => (await answer()).checks[2], POLL)
      .toMatchObject({ ok: true, lagSeconds: 0 });
  });

  it('names no host to a request that came through a proxy', async () => {
    for (const name of ['x-forwarded-for', 'forwarded']) {
      const { body } = await verbose({ [name]: '127.0.0.1' });
      expect(JSON.stringify(body)).not.toContain('127.0.0.1');
    }
  });

  it('is degraded, and still 200, while this node limits by itself', async () => {
    await redis.kill();
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('degraded');
    const { status, body } = await verbose();
    expect(status).toBe(200);
    const limiter = body.checks.find(({ name }: { name: string }) => name === 'limiter');
    expect(limiter).toMatchObject({ ok: false, shared: false });
    expect(limiter.action).toContain('PETSTORE_VALKEY_URL');
    expect((await app.call('GET', '/readyz', { key: null })).status).toBe(200);
    await redis.restart();
    await expect.poll(async () => (await verbose()).body.status, POLL).toBe('ready');
  });

  it('leaves /readyz as it is', async () => {
    expect((await app.call('GET', '/readyz', { key: null })).text).toBe('{"status":"ready"}');
  });
});
