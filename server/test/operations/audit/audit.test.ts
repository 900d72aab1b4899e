import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { signIn } from '../../support/console-session.ts';
import { expectError } from '../../support/contract.ts';
import { newWorkspace } from '../account/new-workspace.ts';
import { auditRows } from './audit-rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    environment: {
      PETSTORE_WEBHOOKS: 'off',
      PETSTORE_BAN_AFTER: '2',
      PETSTORE_SIGNUP: 'open',
      PETSTORE_SELF_SERVICE_PLANS: 'free,pro,business,enterprise',
    },
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type Any = any;

async function shop() {
  const key = await app.addWorkspace();
  const send = (method: string, path: string, body?: unknown) =>
    app.call<Any>(method, `/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const { id } = (await send('GET', '/workspace')).body;
  const audit = async (query = '') => (await send('GET', `/audit?limit=100${query}`)).body as Any[];
  return { key, keyId: key.slice(4, 16), id, send, audit };
}

describe('a change', () => {
  it('of a key is a row with who, what, and what differs', async () => {
    const { keyId, send, audit } = await shop();
    const created = await send('POST', '/keys', { name: 'till', scopes: ['read'] });
    const rotated = await send('POST', `/keys/${created.body.id}/rotate`, { overlapSeconds: 60 });
    await send('DELETE', `/keys/${rotated.body.id}`);
    const [revoked, rotation, creation] = await audit();
    const actor = { type: 'key', id: keyId, name: 'test' };
    expect(creation).toMatchObject({
      action: 'key.created',
      actor,
      target: `key:${created.body.id}`,
      after: { name: 'till', scopes: ['read'] },
      requestId: created.headers.get('x-request-id'),
      address: '127.0.0.1',
    });
    expect(rotation).toMatchObject({
      action: 'key.rotated',
      target: `key:${created.body.id}`,
      after: { newKeyId: rotated.body.id },
    });
    expect(revoked).toMatchObject({ action: 'key.revoked', target: `key:${rotated.body.id}` });
    expect(await audit(`&target=key:${rotated.body.id}`)).toEqual([revoked]);
  });

  it('of the workspace is a row for its plan and one for the rest', async () => {
    const { send, audit } = await shop();
    await send('PATCH', '/workspace', { plan: 'pro', name: 'New name' });
    await send('PATCH', '/workspace', { name: 'New name' });
    const rows = await audit();
    expect(rows.map(({ action }) => action)).toEqual([
      'plan.changed',
      'workspace.updated',
      'key.created',
    ]);
    expect(rows[0]).toMatchObject({
      target: 'workspace',
      before: { plan: 'enterprise' },
      after: { plan: 'pro' },
    });
    expect(rows[1]).toMatchObject({ before: { name: 'another' }, after: { name: 'New name' } });
  });

  it('of a webhook is a row without its secret and without the query of its URL', async () => {
    const { send, audit } = await shop();
    const url = 'http://127.0.0.1:9/hooks?token=hush';
    const { body: webhook } = await send('POST', '/webhooks', { url });
    const path = `/webhooks/${webhook.id}`;
    await send('PATCH', path, { batchMax: 7, description: 'till' });
    await send('PATCH', path, { batchMax: 7 });
    await send('POST', `${path}/rotate`, {});
    await send('POST', `${path}/replay`, { after: '0' });
    await send('DELETE', path);
    const rows = (await audit()).filter(({ target }) => target === `webhook:${webhook.id}`);
    expect(rows.map(({ action }) => action)).toEqual([
      'webhook.deleted',
      'webhook.replayed',
      'webhook.rotated',
      'webhook.updated',
      'webhook.created',
    ]);
    expect(rows[4].after).toMatchObject({ url: 'http://127.0.0.1:9/hooks', state: 'unverified' });
    expect(rows[3]).toMatchObject({
      before: { batchMax: webhook.batchMax, description: null },
      after: { batchMax: 7, description: 'till' },
    });
    expect(JSON.stringify(rows)).not.toContain('hush');
    expect(JSON.stringify(rows)).not.toContain('whsec_');
  });

  it('by a session names the session, whose opening and end are rows too', async () => {
    const { key, keyId, audit } = await shop();
    const session = await signIn(app, key);
    await session.call('PATCH', '/v1/workspace', { body: { name: 'By hand' } });
    await session.call('DELETE', '/v1/session');
    const rows = await audit();
    expect(rows.slice(0, 3).map(({ action, target }) => [action, target])).toEqual([
      ['session.ended', `session:${session.keyId}`],
      ['workspace.updated', 'workspace'],
      ['session.opened', `session:${session.keyId}`],
    ]);
    expect(rows[1].actor).toEqual({ type: 'session', id: session.keyId, name: 'test, console' });
    expect(rows[2]).toMatchObject({ actor: { type: 'key', id: keyId }, after: { keyId } });
  });

  it('of someone who signs up names the sign-up', async () => {
    const { body } = await app.call('POST', '/v1/signup', { key: null, body: { name: 'Paws' } });
    const { body: rows } = await app.call('GET', '/v1/audit', { key: body.key.key });
    expect(rows.map(({ action }: Any) => action)).toEqual(['key.created', 'workspace.created']);
    for (const { actor } of rows) expect(actor).toEqual({ type: 'service', name: 'sign-up' });
  });

  it('by the service names the service', async () => {
    const own = await newWorkspace(app, {
      plan: 'enterprise',
      limits: { perMinute: 1, perDay: 9 },
    });
    while ((await own.ask()).body.code !== 'key_banned');
    const started = (await auditRows(app)).at(-1)!;
    expect(started).toMatchObject({
      action: 'ban.started',
      workspaceId: own.id,
      actor: { type: 'service' },
      target: `key:${own.keyId}`,
      after: { strikes: 1 },
    });
  });
});

describe('the owner', () => {
  it('sees that an operator made a change, and nothing else of the operator', async () => {
    const { id, audit } = await shop();
    await app.call('PATCH', `/v1/admin/workspaces/${id}`, { body: { plan: 'free' } });
    const [row] = await audit();
    expect(row).toMatchObject({ action: 'plan.changed', actor: { type: 'operator' } });
    expect(Object.keys(row).sort()).toEqual(
      ['action', 'actor', 'after', 'at', 'before', 'id', 'target'].sort(),
    );
    expect(row.actor).toEqual({ type: 'operator' });
    expect(await audit(`&actor=${app.key.slice(4, 16)}`)).toEqual([]);
    const { body } = await app.call('GET', `/v1/admin/audit?workspaceId=${id}&limit=1`);
    expect(body[0]).toMatchObject({
      workspaceId: id,
      actor: { type: 'operator', id: app.key.slice(4, 16), name: 'first key' },
      address: '127.0.0.1',
    });
  });

  it('sees rows of the own workspace alone, with the scope manage', async () => {
    const { id, keyId, audit } = await shop();
    const rows = await audit();
    expect(rows.map(({ target }) => target)).toEqual([`key:${keyId}`]);
    const reader = await app.addKey(['read', 'write'], id);
    expectError(await app.call('GET', '/v1/audit', { key: reader }), 'insufficient_scope');
    const other = await shop();
    expectError(await app.call('GET', '/v1/admin/audit', { key: other.key }), 'insufficient_scope');
  });
});

it('filters by action, target, actor and time, and pages newest first', async () => {
  const { keyId, send, audit } = await shop();
  for (let n = 0; n < 5; n++) await send('PATCH', '/workspace', { name: `Name ${n}` });
  app.clock.advance(3_600_000);
  const from = new Date(app.clock.now()).toISOString();
  await send('POST', '/keys', { name: 'till', scopes: ['read'] });
  const actions = async (query: string) => (await audit(query)).map(({ action }) => action);
  const renamed = new Array(5).fill('workspace.updated');
  expect(await actions('')).toEqual(['key.created', ...renamed, 'key.created']);
  expect(await actions('&action=workspace.updated')).toEqual(renamed);
  expect(await actions(`&from=${from}`)).toEqual(['key.created']);
  expect(await actions(`&to=${from}&actor=${keyId}`)).toEqual(renamed);
  expect(await actions('&target=workspace')).toEqual(renamed);
  expect(await actions('&sort=at')).toEqual(['key.created', ...renamed, 'key.created']);
  expectError(await send('GET', '/audit?action=key.eaten'), 'invalid_request');
  const ids: number[] = [];
  for (let path: string | undefined = '/audit?limit=2'; path; ) {
    const answer: Answer<Any> = await send('GET', path);
    ids.push(...answer.body.map(({ id }: Any) => id));
    path = /<\/v1([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(ids).toEqual((await audit()).map(({ id }) => id));
});

it('is written with its change or not at all', async () => {
  const before = await auditRows(app);
  const failing = app.transact(async (tx) => {
    const { createKey } = await import('../../../src/services/keys.ts');
    await createKey(tx, { workspaceId: 1, key: { name: 'lost', scopes: [] }, now: Date.now() });
    throw new Error('the unit fails later');
  });
  await expect(failing).rejects.toThrow('fails later');
  expect(await auditRows(app)).toEqual(before);
  const { body } = await app.call('GET', '/v1/keys?limit=100');
  expect(body.map(({ name }: Any) => name)).not.toContain('lost');
});
