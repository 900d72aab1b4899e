import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/domain/durations.ts';
import { formatInstant } from '../../../src/lib/instant.ts';
import { operations } from '../../../src/operations/operations.ts';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';
import { exampleRequests, World } from '../example-requests.ts';

/** Of this test: the next full second. */
let start: number;
const after = (milliseconds: number) => formatInstant(start + milliseconds);

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_BAN_AFTER: '2', PETSTORE_SIGNUP: 'open' } });
});
beforeEach(async () => {
  start = Math.ceil(Date.now() / 1000) * 1000 + 1000;
  stopClock(app, start);
  own = await newWorkspace(app, { name: 'Happy Paws', plan: 'business' });
});

const admin = (change: string, body?: unknown) =>
  app.call('POST', `/v1/admin/workspaces/${own.id}/${change}`, body ? { body } : {});
const owner = (change: string, body?: unknown) =>
  app.call('POST', `/v1/workspace/${change}`, { key: own.key, ...(body ? { body } : {}) });
const suspend = () => admin('suspend', { reason: 'unpaid' });
const close = (more: object = {}) => admin('close', { name: 'Happy Paws', ...more });
const shown = async () => (await app.call('GET', `/v1/admin/workspaces/${own.id}`)).body;

describe('a suspended workspace', () => {
  const served = ['getWorkspace', 'createSession', 'getSession', 'deleteSession', 'listPlans'];

  it('shows since when and why', async () => {
    const { status, body } = await suspend();
    expect(status).toBe(200);
    const standing = { state: 'suspended', stateSince: after(0), stateReason: 'unpaid' };
    expect(body).toMatchObject(standing);
    expect(await shown()).toEqual(body);
    expect((await app.call('GET', '/v1/workspace', { key: own.key })).body).toEqual(body);
  });

  it.each(operations.map(({ id }) => [id]))('serves or refuses %s', async (id) => {
    const operation = operations.find((each) => each.id === id)!;
    const world = new World(app, own.key);
    const request = await exampleRequests[id]!(world);
    const isOwn = id === 'closeWorkspace' || id === 'reopenWorkspace';
    const options = isOwn ? { ...request.options, key: own.key } : request.options;
    await suspend();
    const answer = await app.call(operation.method, `/v1${request.path}`, {
      ...(request.body === undefined ? {} : { body: request.body }),
      key: own.key,
      ...options,
    });
    if (served.includes(id)) return expect(answer.status).toBe(operation.success.status);
    expectError(answer, 'workspace_suspended');
    const since = formatInstant(app.clock.now());
    expect(answer.body.details).toEqual({ since, reason: 'unpaid' });
    expectDocumented(id, answer);
  });

  it('refuses without counting, in the quota, in the usage and towards a ban', async () => {
    await own.spend(1);
    await suspend();
    const before = await app.call('GET', '/v1/plans', { key: own.key });
    expect(await own.spend(50)).toEqual(Array(50).fill(403));
    expect((await own.ask('/v1/unknown')).status).toBe(403);
    const after = await app.call('GET', '/v1/plans', { key: own.key });
    expect(after.headers.get('ratelimit')).toBe(before.headers.get('ratelimit'));
    await admin('resume');
    const { body } = await own.ask('/v1/usage');
    const lists = body.history.filter((entry: { operationId: string }) =>
      ['listCategories', 'unknown'].includes(entry.operationId),
    );
    expect(lists).toMatchObject([{ admitted: 1, refused: 0, failed: 0 }]);
    expect((await own.ask()).status).toBe(200);
  });

  it('goes on when it is resumed', async () => {
    await suspend();
    app.clock.advance(1_000);
    const { body } = await admin('resume');
    expect(body).toMatchObject({ state: 'active', stateSince: after(1_000) });
    expect(body).not.toHaveProperty('stateReason');
    expect((await own.ask()).status).toBe(200);
  });

  it('is refused to agents too', async () => {
    await suspend();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const accept = 'application/json, text/event-stream';
    const answer = await app.call('POST', '/mcp', { key: own.key, body, headers: { accept } });
    expectError(answer, 'workspace_suspended');
  });
});

describe('a workspace that is closing', () => {
  it('is read, and not written', async () => {
    const { status, body } = await owner('close', { name: 'Happy Paws' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      state: 'closing',
      stateSince: after(0),
      closedBy: 'owner',
      eraseAt: after(30 * DAY_MS),
    });
    expect((await own.ask()).status).toBe(200);
    const write = await app.call('POST', '/v1/categories', { key: own.key, body: { name: 'x' } });
    expectError(write, 'workspace_closing');
    expectDocumented('createCategory', write);
    expect(write.body.details).toEqual({ eraseAt: after(30 * DAY_MS) });
    const session = await app.call('POST', '/v1/session', { key: own.key });
    expect(session.status).toBe(201);
    expect(session.body).toMatchObject({ state: 'closing', eraseAt: after(30 * DAY_MS) });
  });

  it('refuses tools of agents that write', async () => {
    await close();
    const call = (name: string, args: object) =>
      app.call('POST', '/mcp', {
        key: own.key,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      });
    expect((await call('listCategories', {})).status).toBe(200);
    expectError(await call('createCategory', { name: 'x' }), 'workspace_closing');
  });

  it('is closed under its exact name only', async () => {
    for (const name of ['happy paws', 'Happy Paws ', 'x']) {
      for (const answer of [await owner('close', { name }), await admin('close', { name })]) {
        expectError(answer, 'invalid_request');
        expect(answer.body.details[0].field).toBe('name');
      }
    }
    expect((await shown()).state).toBe('active');
  });

  it.each([0, 365])('is kept for as many days as the operator chooses: %i', async (graceDays) => {
    expect((await close({ graceDays, reason: 'fraud' })).body).toMatchObject({
      eraseAt: after(graceDays * DAY_MS),
      stateReason: 'fraud',
    });
  });

  it.each([-1, 366, 1.5])('is not closed for %f days', async (graceDays) => {
    expectError(await close({ graceDays }), 'invalid_request');
  });

  it('is reopened by its owner', async () => {
    await owner('close', { name: 'Happy Paws' });
    app.clock.advance(1_000);
    const { status, body } = await owner('reopen');
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'active', stateSince: after(1_000) });
    expect(body).not.toHaveProperty('eraseAt');
    expect(body).not.toHaveProperty('closedBy');
    const write = await app.call('POST', '/v1/categories', { key: own.key, body: { name: 'x' } });
    expect(write.status).toBe(201);
  });

  it('is reopened by the operator alone if the operator closed it', async () => {
    expect((await close()).body.closedBy).toBe('operator');
    const refused = await owner('reopen');
    expectError(refused, 'operator_only');
    expectDocumented('reopenWorkspace', refused);
    expect(refused.body.details).toEqual({ operationId: 'adminReopenWorkspace' });
    expect((await admin('reopen')).body.state).toBe('active');
  });

  it('gets back the state that it had before', async () => {
    await suspend();
    app.clock.advance(1_000);
    expect((await close()).body.state).toBe('closing');
    expect((await own.ask()).status).toBe(200);
    expect((await admin('reopen')).body).toMatchObject({
      state: 'suspended',
      stateSince: after(0),
      stateReason: 'unpaid',
    });
  });

  it('is not reopened after eraseAt', async () => {
    await close({ graceDays: 1 });
    app.clock.advance(DAY_MS);
    expectError(await admin('reopen'), 'workspace_state');
  });
});

describe('a change of state', () => {
  it('that is there already changes nothing', async () => {
    const same = async (change: () => Promise<{ status: number; text: string }>) => {
      const { text } = await change();
      app.clock.advance(1_000);
      const again = await change();
      expect([again.status, again.text]).toEqual([200, text]);
    };
    await same(() => admin('resume'));
    await same(() => admin('reopen'));
    await same(() => owner('reopen'));
    await same(suspend);
    await same(() => close());
    await same(() => close({ graceDays: 1 }));
  });

  it.each([
    ['suspend', { reason: 'x' }, close],
    ['resume', undefined, close],
    ['reopen', undefined, suspend],
  ])('that is impossible is refused: %s', async (change, body, before) => {
    await before();
    const answer = await admin(change, body);
    expectError(answer, 'workspace_state');
    expect(answer.body.details).toEqual({ state: (await shown()).state });
  });

  it('is refused for a workspace with an active key of an operator', async () => {
    const key = await app.addKey(['operate'], own.id);
    for (const answer of [await suspend(), await close()]) {
      expectError(answer, 'operator_workspace');
    }
    expectError(await owner('close', { name: 'Happy Paws' }), 'operator_workspace');
    await app.transact((tx) => tx.keys.revoke(own.id, key.slice(4, 16), app.clock.now()));
    expect((await suspend()).status).toBe(200);
  });

  it('of two operators at once happens once', async () => {
    const answers = await Promise.all([suspend(), suspend(), close({ graceDays: 1 }), close()]);
    const states = answers.filter(({ status }) => status === 200).map(({ body }) => body.state);
    expect(states).toContain('closing');
    const events = await app.call('GET', '/v1/events?type=workspace.updated', { key: own.key });
    const before = events.body.map((event: { before: { state: string } }) => event.before.state);
    expect(before).toEqual(before.length === 2 ? ['active', 'suspended'] : ['active']);
  });

  it('is in the feed', async () => {
    await suspend();
    await admin('resume');
    const { body } = await app.call('GET', '/v1/events?type=workspace.updated', { key: own.key });
    expect(body.map((event: { before: object }) => event.before)).toEqual([
      { state: 'active' },
      { state: 'suspended' },
    ]);
    expect(body[0].data.workspace).toMatchObject({ state: 'suspended', stateReason: 'unpaid' });
  });

  it('is known to a list of one state', async () => {
    await suspend();
    const ids = async (state: string) => {
      const { body } = await app.call('GET', `/v1/admin/workspaces?state=${state}&limit=100`);
      return body.map(({ id }: { id: number }) => id);
    };
    expect(await ids('suspended')).toContain(own.id);
    expect(await ids('active')).not.toContain(own.id);
    // Other tests close workspaces without a grace, which are erased by and by.
    expect(await ids('erased')).not.toContain(own.id);
  });
});
