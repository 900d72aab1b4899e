import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectError } from '../../support/contract.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createWebhook } from '../webhooks/receiver-app.ts';
import { exported, filesIn, recordsIn } from './archive-files.ts';
import { type Any, addLargeRows, filledShop, shop } from './filled-shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_WEBHOOK_VERIFY: 'none' } });
});

/** All pages of a list. */
async function all(key: string, path: string): Promise<Any[]> {
  const { body } = await app.call('GET', `/v1${path}${path.includes('?') ? '&' : '?'}limit=100`, {
    key,
  });
  return body;
}

describe('an export of a workspace', () => {
  it('has its records in the shapes of the API', async () => {
    const { id, key, send } = await filledShop(app);
    const archive = await exported(app, '/workspace/export', key);
    const { manifest, records } = recordsIn(archive);
    expect(manifest).toMatchObject({ format: 'petstore-workspace', version: 1, workspaceId: id });
    expect(records.workspace).toEqual([await send('GET', '/workspace')]);
    expect(records.categories).toEqual(await all(key, '/categories'));
    const ended = await all(key, '/store/orders?state=cancelled');
    expect(ended).toHaveLength(1);
    expect(records.orders).toEqual([...(await all(key, '/store/orders?sort=id')), ...ended]);
    const movements = await all(key, '/movements');
    expect(records.ledger).toEqual(movements.toSorted((a, b) => a.id - b.id));
    const present = records.pets!.filter(({ deletedAt }) => deletedAt === undefined);
    const shown = present.map(
      ({ quantity: _, reserved: _1, held: _2, createdAt: _3, movedAt: _4, ...pet }) => pet,
    );
    expect(shown).toEqual(await all(key, '/pets?sort=id'));
    expect(records.pets).toHaveLength(3);
    expect(present.map(({ quantity, reserved, held }) => [quantity, reserved, held])).toEqual([
      [19, 3, false],
      [1, 0, true],
    ]);
    const { lastUsedAt: _, ...ownKey } = records.keys![0];
    expect((await all(key, '/keys'))[0]).toMatchObject(ownKey);
    const [webhook] = await all(key, '/webhooks');
    expect(webhook).toMatchObject({ ...records.webhooks![0], cursor: webhook.cursor });
    expect(webhook.id).toBe(records.webhooks![0].id);
    const events = await all(key, '/events?after=0');
    expect([...records.events!, ...records.arrivals!].length).toBeGreaterThan(8);
    expect(records.events).toEqual(events.slice(0, records.events!.length));
    const audit = await all(key, '/audit?sort=at');
    expect(records.audit).toEqual(audit);
    expect(audit.at(-1)).toMatchObject({ action: 'workspace.exported', target: 'workspace' });
  });

  it('is saved by the curl of docs/tenants.md under its own name, and no error is', async () => {
    const docs = readFileSync(new URL('../../../../docs/tenants.md', import.meta.url), 'utf8');
    const line = /^curl .*\$API\/workspace\/export"$/m.exec(docs)![0];
    const { id, key } = await shop(app);
    const folder = temporaryFolder();
    const run = (API_KEY: string) => {
      const env = { ...process.env, API: `${app.address}/v1`, API_KEY };
      return promisify(execFile)('bash', ['-ec', line], { cwd: folder.path, env });
    };
    await expect(run('psk_wrong')).rejects.toThrow('401');
    expect(readdirSync(folder.path)).toEqual([]);
    await run(key);
    const [name, ...others] = readdirSync(folder.path);
    expect(name).toMatch(new RegExp(`^workspace-${id}-\\d{4}-\\d\\d-\\d\\d\\.tar\\.gz$`));
    expect(others).toEqual([]);
    folder.remove();
  });

  it('is a file that tar and sha256sum read', async () => {
    const { key } = await filledShop(app);
    const folder = temporaryFolder();
    writeFileSync(`${folder.path}/a.tar.gz`, await exported(app, '/workspace/export', key));
    const run = (...args: [string, ...string[]]) =>
      execFileSync(args[0], args.slice(1), { cwd: folder.path, encoding: 'utf8' });
    run('tar', 'xzf', 'a.tar.gz');
    expect(run('sha256sum', '--strict', '-c', 'SHA256SUMS')).not.toContain('FAILED');
    expect(run('ls')).toContain('orders-000001.ndjson');
    folder.remove();
  });

  it('hides from the owner who the operators are, and shows it to them', async () => {
    const { id, key } = await shop(app);
    await app.call('PATCH', `/v1/admin/workspaces/${id}`, { body: { plan: 'pro' } });
    const actorOf = (archive: Buffer) =>
      recordsIn(archive).records.audit!.find(({ action }) => action === 'plan.changed').actor;
    expect(actorOf(await exported(app, '/workspace/export', key))).toEqual({ type: 'operator' });
    const asOperator = await exported(app, `/admin/workspaces/${id}/export`);
    expect(actorOf(asOperator)).toMatchObject({ type: 'operator', name: 'first key' });
  });

  it('has all rows, in files of bounded size', async () => {
    const { id, key } = await shop(app);
    await addLargeRows(app, id, { count: 40, bytes: 75_000 });
    const archive = await exported(app, '/workspace/export', key);
    expect(recordsIn(archive).records.audit!.length).toBeGreaterThan(40);
    const files = [...filesIn(archive)].filter(([name]) => name.startsWith('audit-'));
    expect(files.length).toBeGreaterThan(3);
    for (const [, text] of files) expect(text.length).toBeLessThanOrEqual(1024 * 1024);
  });

  it('has no key, secret, digest, session or token', async () => {
    const { key, send, id } = await filledShop(app);
    const { secret, id: webhookId } = await createWebhook(app, { url: 'http://127.0.0.1:9/' }, key);
    const { secret: rotated } = await send('POST', `/webhooks/${webhookId}/rotate`, {});
    const { key: second } = await send('POST', '/keys', { name: 'till', scopes: ['read'] });
    const session = await app.call('POST', '/v1/session', { key });
    const token = /=([^;]+)/.exec(session.headers.getSetCookie().join())![1]!;
    const stored = await app.transact(async (tx) => {
      const { api_keys: keys } = await tables();
      const rows = await tx.tables.page(keys!, undefined, 10_000);
      const digestAt = keys!.allColumns.indexOf('digest');
      const sealed = await tx.webhooks.findSecrets({ workspaceId: id, id: webhookId });
      return [...rows.map((row) => row[digestAt] as string), sealed!.current, sealed!.previous!];
    });
    const text = [
      ...filesIn(await exported(app, `/admin/workspaces/${id}/export`)).values(),
    ].join();
    expect(text).toContain(second.slice(4, 16));
    for (const secretText of [key.slice(16), secret, rotated, second.slice(16), token, ...stored]) {
      expect(secretText.length).toBeGreaterThan(20);
      expect(text).not.toContain(secretText);
    }
  });

  it('is made of a workspace that is closing or suspended', async () => {
    const { id, key } = await shop(app);
    const admin = (action: string, body: object) =>
      app.call('POST', `/v1/admin/workspaces/${id}/${action}`, { body });
    await admin('suspend', { reason: 'unpaid' });
    expectError(await app.call('GET', '/v1/workspace/export', { key }), 'workspace_suspended');
    const suspended = await exported(app, `/admin/workspaces/${id}/export`);
    expect(recordsIn(suspended).records.workspace![0]).toMatchObject({ state: 'suspended' });
    await admin('resume', {});
    await admin('close', { name: 'Happy Paws' });
    const closing = await exported(app, '/workspace/export', key);
    expect(recordsIn(closing).records.workspace![0]).toMatchObject({ state: 'closing' });
  });

  it('is 404 for a workspace that does not exist, and writes nothing to the audit log', async () => {
    expectError(await app.call('GET', '/v1/admin/workspaces/99999/export'), 'not_found');
    const { body } = await app.call('GET', '/v1/admin/audit?workspaceId=99999');
    expect(body).toEqual([]);
  });
});

async function tables() {
  const { tables } = await import('../../../src/datastore/tables.ts');
  return Object.fromEntries(tables.map((table) => [table.name, table]));
}
