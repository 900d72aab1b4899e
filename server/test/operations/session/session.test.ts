import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type ConsoleSession, signIn } from '../../support/console-session.ts';
import { expectDocumented, expectError } from '../../support/contract.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';
import { readFeeds } from '../feeds.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_BAN_AFTER: '2' } });
});
beforeEach(async () => {
  stopClock(app, Date.parse('2029-11-15T09:00:00Z'));
  own = await newWorkspace(app, { name: 'Happy Paws', plan: 'business' });
});

async function makeKey(input: object = {}) {
  const body = { name: 'shop', scopes: ['read', 'write', 'manage'], ...input };
  return (await app.call('POST', '/v1/keys', { key: own.key, body })).body;
}

async function listedKeys() {
  return (await app.call('GET', '/v1/keys?limit=100', { key: own.key })).body;
}

describe('createSession', () => {
  it('returns the store, the scopes of the key and twelve hours, and no secret', async () => {
    const shop = await makeKey({ scopes: ['read', 'manage'] });
    const answer = await app.call('POST', '/v1/session', { key: shop.key });
    expect(answer.status).toBe(201);
    expectDocumented('createSession', answer);
    expect(answer.body).toEqual({
      workspaceId: own.id,
      workspaceName: 'Happy Paws',
      plan: 'business',
      limits: { perMinute: 1000, perDay: 100_000 },
      state: 'active',
      stateSince: expect.any(String),
      scopes: ['read', 'manage'],
      keyId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      expiresAt: '2029-11-15T21:00:00Z',
      eventsCursor: expect.stringMatching(/^evt_/),
    });
    expect(answer.body.keyId).not.toBe(shop.id);
    expect(answer.text).not.toContain('psk_');
  });

  it('is open to a key of any single scope', async () => {
    for (const scope of ['read', 'write', 'manage']) {
      const { key } = await makeKey({ scopes: [scope] });
      expect((await app.call('POST', '/v1/session', { key })).body.scopes).toEqual([scope]);
    }
  });

  it('ends no later than its key', async () => {
    const { key } = await makeKey({ expiresAt: '2029-11-15T09:30:00Z' });
    const session = await signIn(app, key);
    expect(session.setCookie).toContain('Max-Age=1800');
    expect((await session.call('GET', '/v1/session')).body.expiresAt).toBe('2029-11-15T09:30:00Z');
    app.clock.advance(HOUR_MS / 2);
    expectError(await session.call('GET', '/v1/session'), 'expired_api_key');
  });

  it('refuses a session, which cannot open another one', async () => {
    const session = await signIn(app, own.key);
    const answer = await session.call('POST', '/v1/session');
    expectError(answer, 'session_not_accepted');
    expectDocumented('createSession', answer);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(await listedKeys()).toHaveLength(2);
  });

  it('sets no cookie when it is replayed', async () => {
    const options = { key: own.key, headers: { 'idempotency-key': 'sign-in' } };
    const first = await app.call('POST', '/v1/session', options);
    const second = await app.call('POST', '/v1/session', options);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect([first, second].map(({ headers }) => headers.has('set-cookie'))).toEqual([true, false]);
  });

  it('works when the quota is spent, up to the cap of the key that signs in', async () => {
    const small = await newWorkspace(app, {
      plan: 'enterprise',
      limits: { perMinute: 1, perDay: 1 },
    });
    await small.spend(1);
    const session = await signIn(app, small.key);
    expect((await session.call('GET', '/v1/session')).status).toBe(200);
    for (let count = 2; count < 60; count++) await signIn(app, small.key);
    const last = await signIn(app, small.key);
    expectError(await app.call('POST', '/v1/session', { key: small.key }), 'rate_limit_exceeded');
    expect((await last.call('GET', '/v1/session')).status).toBe(200);
  });

  it('ends the oldest when a key would have more than 20, and those of no other key', async () => {
    const shop = await makeKey();
    const other = await signIn(app, own.key);
    const sessions: ConsoleSession[] = [];
    for (let count = 0; count < 25; count++) {
      app.clock.advance(1);
      sessions.push(await signIn(app, shop.key));
      await sessions[0]!.call('GET', '/v1/pets');
    }
    const answers = await Promise.all(sessions.map(({ call }) => call('GET', '/v1/pets')));
    for (const answer of answers.splice(0, 5)) expectError(answer, 'invalid_api_key');
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await other.call('GET', '/v1/session')).status).toBe(200);
  });

  it('refuses a banned key; its sessions go on', async () => {
    const small = await newWorkspace(app, {
      plan: 'enterprise',
      limits: { perMinute: 1, perDay: 1 },
    });
    const session = await signIn(app, small.key);
    await small.spend(4);
    const answer = await app.call('POST', '/v1/session', { key: small.key });
    expectError(answer, 'key_banned');
    expectDocumented('createSession', answer);
    expect((await session.call('GET', '/v1/usage')).body.bans).toHaveLength(1);
  });

  it('emits nothing, nor does the end of a session', async () => {
    const before = await readFeeds(app);
    const [first, second] = [await signIn(app, own.key), await signIn(app, own.key)];
    await first.call('DELETE', '/v1/session');
    await app.call('DELETE', `/v1/keys/${second.keyId}`, { key: own.key });
    expect(await readFeeds(app)).toEqual(before);
  });
});

describe('getSession', () => {
  it('returns what createSession returned, and the plan as it is now', async () => {
    const created = await app.call('POST', '/v1/session', { key: own.key });
    const session = await signIn(app, own.key);
    const first = await session.call('GET', '/v1/session');
    expectDocumented('getSession', first);
    expect(first.body).toEqual({ ...created.body, keyId: session.keyId });
    await session.call('PATCH', '/v1/workspace', { body: { plan: 'pro', name: 'Paws' } });
    const { body } = await session.call('GET', '/v1/session');
    expect(body).toMatchObject({ plan: 'pro', workspaceName: 'Paws', limits: { perMinute: 300 } });
  });

  it('returns the end of the feed, so that a stream from there has what came since', async () => {
    const session = await signIn(app, own.key);
    await session.call('POST', '/v1/categories', { body: { name: 'before' } });
    const { eventsCursor } = (await session.call('GET', '/v1/session')).body;
    await session.call('POST', '/v1/categories', { body: { name: 'after' } });
    const { body } = await session.call('GET', `/v1/events?after=${eventsCursor}`);
    const names = body.map(
      (event: { data: { category: { name: string } } }) => event.data.category.name,
    );
    expect(names).toEqual(['after']);
  });

  it('is 401 without a session, also with a key', async () => {
    for (const key of [null, own.key]) {
      const answer = await app.call('GET', '/v1/session', { key });
      expectError(answer, 'missing_api_key');
      expectDocumented('getSession', answer);
    }
  });

  it('is 401 after twelve hours', async () => {
    const session = await signIn(app, own.key);
    app.clock.advance(12 * HOUR_MS - 1);
    expect((await session.call('GET', '/v1/session')).status).toBe(200);
    app.clock.advance(1);
    expectError(await session.call('GET', '/v1/session'), 'expired_api_key');
  });
});

describe('deleteSession', () => {
  it('ends this session alone, clears the cookie and what the browser has stored', async () => {
    const [session, other] = [await signIn(app, own.key), await signIn(app, own.key)];
    const answer = await session.call('DELETE', '/v1/session');
    expect(answer.status).toBe(204);
    expectDocumented('deleteSession', answer);
    expect(answer.headers.get('set-cookie')).toBe(
      'petstore_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
    for (const path of ['/v1/session', '/v1/pets', '/v1/usage']) {
      expectError(await session.call('GET', path), 'invalid_api_key');
    }
    expect((await other.call('GET', '/v1/session')).status).toBe(200);
    expect((await own.ask()).status).toBe(200);
  });

  it('is 401 with a key, which stays', async () => {
    const answer = await app.call('DELETE', '/v1/session', { key: own.key });
    expectError(answer, 'missing_api_key');
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect((await own.ask()).status).toBe(200);
  });
});

describe('a session', () => {
  it('is listed as a key with its parent, and is revoked like one', async () => {
    const session = await signIn(app, own.key);
    const listed = (await listedKeys()).find(({ id }: { id: string }) => id === session.keyId);
    const parent = (await listedKeys()).find(({ id }: { id: string }) => id === own.keyId);
    expect(listed).toMatchObject({ name: `${parent.name}, console`, parentId: own.keyId });
    expect(parent).not.toHaveProperty('parentId');
    const revoked = await app.call('DELETE', `/v1/keys/${session.keyId}`, { key: own.key });
    expect(revoked.status).toBe(204);
    expectError(await session.call('GET', '/v1/pets'), 'invalid_api_key');
  });

  it('has a name of 200 characters at most', async () => {
    const body = { name: '\u{1f43e}'.repeat(200), scopes: ['read'] };
    const { body: shop } = await app.call('POST', '/v1/keys', { key: own.key, body });
    const { keyId } = await signIn(app, shop.key);
    const listed = (await listedKeys()).find(({ id }: { id: string }) => id === keyId);
    expect(listed.name).toBe(`${'\u{1f43e}'.repeat(190)}, console`);
  });

  it('is left out of the list when it has ended, or always, on request', async () => {
    const shop = await makeKey();
    const open = await signIn(app, shop.key);
    const ended = await signIn(app, shop.key);
    await ended.call('DELETE', '/v1/session');
    await app.call('DELETE', `/v1/keys/${(await makeKey()).id}`, { key: own.key });
    const idsOf = async (query: string) => {
      const { body } = await app.call('GET', `/v1/keys?limit=100${query}`, { key: own.key });
      return body.map(({ id }: { id: string }) => id).sort();
    };
    const all = await idsOf('');
    expect(await idsOf('&sessions=all')).toEqual(all);
    expect(await idsOf('&sessions=open')).toEqual(all.filter((id: string) => id !== ended.keyId));
    const sessions = [open.keyId, ended.keyId];
    expect(await idsOf('&sessions=none')).toEqual(
      all.filter((id: string) => !sessions.includes(id)),
    );
    expect(await idsOf(`&id=${ended.keyId}&id=${shop.id}&id=unknown`)).toEqual(
      [ended.keyId, shop.id].sort(),
    );
    app.clock.advance(12 * HOUR_MS);
    expect(await idsOf('&sessions=open')).toEqual(await idsOf('&sessions=none'));
  });

  it('ends at once when its key is revoked, on this node and in the database', async () => {
    const shop = await makeKey();
    const session = await signIn(app, shop.key);
    expect((await session.call('GET', '/v1/pets')).status).toBe(200);
    await app.call('DELETE', `/v1/keys/${shop.id}`, { key: own.key });
    expectError(await session.call('GET', '/v1/pets'), 'invalid_api_key');
    const listed = (await listedKeys()).find(({ id }: { id: string }) => id === session.keyId);
    expect(listed.revokedAt).toBe('2029-11-15T09:00:00Z');
  });

  it('ends with the overlap when its key is rotated', async () => {
    const shop = await makeKey();
    const session = await signIn(app, shop.key);
    const body = { overlapSeconds: 3_600 };
    await session.call('POST', `/v1/keys/${shop.id}/rotate`, { body });
    app.clock.advance(HOUR_MS - 1);
    expect((await session.call('GET', '/v1/pets')).status).toBe(200);
    app.clock.advance(1);
    expectError(await session.call('GET', '/v1/pets'), 'expired_api_key');
  });

  it('is not lengthened by a long overlap', async () => {
    const shop = await makeKey();
    const session = await signIn(app, shop.key);
    await session.call('POST', `/v1/keys/${shop.id}/rotate`, { body: { overlapSeconds: 86_400 } });
    const { body } = await session.call('GET', '/v1/session');
    expect(body.expiresAt).toBe('2029-11-15T21:00:00Z');
  });

  it('cannot be rotated into a key', async () => {
    const session = await signIn(app, own.key);
    const answer = await app.call('POST', `/v1/keys/${session.keyId}/rotate`, { key: own.key });
    expectError(answer, 'not_found');
    expect(answer.body.message).toMatch(/is a session, which cannot be rotated/);
    expect((await session.call('GET', '/v1/pets')).status).toBe(200);
  });

  it('does not count as a key that manages', async () => {
    const expiring = await makeKey({ expiresAt: '2029-11-16T09:00:00Z' });
    await app.transact(async (tx) => void (await tx.keys.revoke(own.id, own.keyId, Date.now())));
    const session = await signIn(app, expiring.key);
    const answer = await session.call('DELETE', `/v1/keys/${expiring.id}`);
    expectError(answer, 'last_manage_key');
    expect((await session.call('GET', '/v1/session')).status).toBe(200);
  });

  it('creates keys, and the ledger names it', async () => {
    const session = await signIn(app, own.key);
    const input = { name: 'till', scopes: ['read', 'write'] };
    const created = await session.call('POST', '/v1/keys', { body: input });
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty('parentId');
    const category = await session.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    const pet = { name: 'Rex', categoryId: category.body.id };
    const { id } = (await session.call('POST', '/v1/pets', { body: pet })).body;
    const movements = await session.call('GET', `/v1/inventory/${id}/movements`);
    expect(movements.body[0].keyId).toBe(session.keyId);
    await session.call('DELETE', '/v1/session');
    expect((await own.ask(undefined, { key: created.body.key })).status).toBe(200);
  });

  it('may do what its key may do and no more', async () => {
    const reader = await makeKey({ scopes: ['read'] });
    const session = await signIn(app, reader.key);
    expect((await session.call('GET', '/v1/pets')).status).toBe(200);
    const body = { name: 'Dogs' };
    expectError(await session.call('POST', '/v1/categories', { body }), 'insufficient_scope');
  });

  it('is deleted some time after its end, and keys never are', async () => {
    const { keyId } = await signIn(app, own.key);
    const deleteAt = (days: number) =>
      app.transact((tx) => tx.oldRows.remove('sessions', app.clock.now() + days * 24 * HOUR_MS));
    await deleteAt(0);
    expect((await listedKeys()).map(({ id }: { id: string }) => id)).toContain(keyId);
    await deleteAt(1);
    expect((await listedKeys()).map(({ id }: { id: string }) => id)).toEqual([own.keyId]);
  });
});

describe('a key that is revoked or rotated while sessions are opened', () => {
  it.each([
    ['revoked', (id: string) => app.call('DELETE', `/v1/keys/${id}`, { key: own.key })],
    [
      'rotated',
      (id: string) =>
        app.call('POST', `/v1/keys/${id}/rotate`, { key: own.key, body: { overlapSeconds: 0 } }),
    ],
  ])('leaves no session behind: %s', async (_, end) => {
    for (let round = 0; round < 10; round++) {
      app.clock.advance(61_000);
      const shop = await makeKey();
      const open = () => app.call('POST', '/v1/session', { key: shop.key });
      const answers = await Promise.all([open(), open(), end(shop.id), open(), open()]);
      for (const { status, headers } of answers) {
        if (status !== 201 || !headers.has('set-cookie')) continue;
        const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
        const check = { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
        expect((await app.call('GET', '/v1/session', check)).status).toBe(401);
      }
    }
  });
});

describe('without a console', () => {
  let closed: TestApp;
  beforeAll(async () => {
    closed = await testApp({ environment: { PETSTORE_CONSOLE: 'off' } });
  });

  it('the operations of sessions are not there, and no cookie is accepted', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await closed.call(method, '/v1/session');
      expectError(answer, 'not_found');
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
    const { openSession } = await import('../../../src/services/sessions.ts');
    const caller = { keyId: closed.key.slice(4, 16), workspaceId: 1, scopes: [], limits: {} };
    const { secret } = await closed.transact((tx) =>
      openSession(tx, { caller: caller as never, now: Date.now() }),
    );
    const headers = { cookie: `petstore_session=${secret}`, 'sec-fetch-site': 'same-origin' };
    expectError(await closed.call('GET', '/v1/pets', { key: null, headers }), 'missing_api_key');
    expectError(await closed.call('GET', '/v1/pets', { key: secret }), 'invalid_api_key');
  });
});
