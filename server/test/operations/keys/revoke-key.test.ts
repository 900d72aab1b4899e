import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const TOMORROW = { at: 0, expiresAt: Date.parse('2026-11-16T09:00:00Z') };

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app, { plan: 'business' });
});

function revoke(id: string, key = own.key) {
  return app.call('DELETE', `/v1/keys/${id}`, { key });
}

/** The keys with manage that do not expire, besides the first one and the given one. */
async function staying(except: string): Promise<string[]> {
  const { body } = await app.call('GET', '/v1/keys', { key: own.key });
  return body
    .filter((key: { expiresAt?: string }) => key.expiresAt === undefined)
    .map((key: { id: string }) => key.id)
    .filter((id: string) => id !== own.keyId && id !== except);
}

async function makeKey(input: object = {}) {
  const body = { name: 'another', scopes: ['manage', 'read'], ...input };
  return (await app.call('POST', '/v1/keys', { key: own.key, body })).body;
}

describe('revokeKey', () => {
  it('ends a key at once, also one that was used a moment ago', async () => {
    const { id, key } = await makeKey();
    expect((await own.ask(undefined, { key })).status).toBe(200);
    const revoked = await revoke(id);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    const refused = await own.ask(undefined, { key });
    expect(refused.status).toBe(401);
    expect(refused.body.code).toBe('invalid_api_key');
    expect((await revoke(id)).status).toBe(404);
  });

  it('reports a revoked key as invalid, also after its expiry', async () => {
    const { id, key } = await makeKey({ expiresAt: '2026-11-15T09:00:01Z' });
    await revoke(id);
    app.clock.advance(1_000);
    expect((await own.ask(undefined, { key })).body.code).toBe('invalid_api_key');
  });

  it('finds no key of another workspace, and does not change it', async () => {
    const other = await newWorkspace(app);
    expect((await revoke(other.keyId)).status).toBe(404);
    expect((await other.ask()).status).toBe(200);
    expect((await revoke('AAAAAAAAAAAA')).status).toBe(404);
  });

  it('refuses to revoke the last key with manage', async () => {
    await makeKey({ scopes: ['read', 'write'] });
    const refused = await revoke(own.keyId);
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('last_manage_key');
    expect((await own.ask()).status).toBe(200);
    const { id, key } = await makeKey();
    expect((await revoke(own.keyId)).status).toBe(204);
    expect((await revoke(id, key)).status).toBe(409);
  });

  it('does not count revoked and expired keys as keys with manage', async () => {
    const revoked = await makeKey();
    await revoke(revoked.id);
    expect((await revoke(own.keyId)).status).toBe(409);
    const over = await makeKey({ expiresAt: '2026-11-15T09:00:01Z' });
    app.clock.advance(1_000);
    expect((await revoke(own.keyId)).status).toBe(409);
    expect((await revoke(over.id)).status).toBe(204);
  });

  it('refuses to revoke the last key with manage that does not expire', async () => {
    const expiring = await makeKey({ expiresAt: '2026-11-16T09:00:00Z' });
    const rotated = await makeKey();
    await app.call('POST', `/v1/keys/${rotated.id}/rotate`, { key: own.key });
    const successor = (await staying(rotated.id))[0]!;
    expect((await revoke(successor)).status).toBe(204);
    expect((await revoke(own.keyId, expiring.key)).body.code).toBe('last_manage_key');
    expect((await revoke(own.keyId, rotated.key)).body.code).toBe('last_manage_key');
    const lasting = await makeKey();
    expect((await revoke(own.keyId, lasting.key)).status).toBe(204);
    expect((await revoke(expiring.id, lasting.key)).status).toBe(204);
  });

  it('revokes keys that expire while another one stays, and keeps the last of them', async () => {
    await app.transact((tx) => tx.keys.rotate(own.id, own.keyId, TOMORROW));
    const expiring = await makeKey({ expiresAt: '2026-11-16T09:00:00Z' });
    expect((await revoke(expiring.id)).status).toBe(204);
    expect((await revoke(own.keyId)).body.code).toBe('last_manage_key');
  });

  it('keeps one of two keys that revoke each other at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, key } = await makeKey();
      const statuses = (await Promise.all([revoke(id), revoke(own.keyId, key)])).map(
        ({ status }) => status,
      );
      // The second is refused because its key is revoked, or because it is the last one.
      expect(statuses.filter((status) => status === 204).length).toBe(1);
      expect([401, 409]).toContain(statuses.find((status) => status !== 204));
      own = await newWorkspace(app);
    }
  });
});
