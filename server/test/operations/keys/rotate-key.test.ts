import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const DAY_SECONDS = 86_400;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app, { plan: 'business' });
});

function rotate(id: string, body?: unknown, key = own.key) {
  return app.call('POST', `/v1/keys/${id}/rotate`, {
    key,
    ...(body === undefined ? {} : { body }),
  });
}

async function makeKey(input: object = {}) {
  const body = { name: 'shop', scopes: ['write', 'read'], ...input };
  return (await app.call('POST', '/v1/keys', { key: own.key, body })).body;
}

async function codeWith(key: string): Promise<string> {
  const { status, body } = await own.ask(undefined, { key });
  return status === 200 ? 'admitted' : body.code;
}

describe('rotateKey', () => {
  it('returns a new key with a new id and the same name and scopes', async () => {
    const old = await makeKey();
    const rotated = await rotate(old.id);
    expect(rotated.status).toBe(201);
    const { id, key, hint, ...same } = rotated.body;
    expect(id).not.toBe(old.id);
    expect(key).not.toBe(old.key);
    expect([id, hint]).toEqual([key.slice(4, 16), key.slice(0, 12)]);
    expect(same).toEqual({
      name: 'shop',
      scopes: ['write', 'read'],
      createdAt: '2026-11-15T09:00:00Z',
    });
    expect(await codeWith(key)).toBe('admitted');
  });

  it.each([
    ['a day by default', undefined, DAY_SECONDS],
    ['a day with an empty body', {}, DAY_SECONDS],
    ['the given seconds', { overlapSeconds: 10 }, 10],
    ['at most 30 days', { overlapSeconds: 30 * DAY_SECONDS }, 30 * DAY_SECONDS],
  ])('keeps the old key valid for %s, then no longer', async (_, body, seconds) => {
    const old = await makeKey();
    const { key } = (await rotate(old.id, body)).body;
    app.clock.advance(seconds * 1000 - 1);
    expect(await codeWith(old.key)).toBe('admitted');
    app.clock.advance(1);
    expect(await codeWith(old.key)).toBe('expired_api_key');
    expect(await codeWith(key)).toBe('admitted');
  });

  it('expires the old key at once without overlap, also one that was used a moment ago', async () => {
    const old = await makeKey();
    expect(await codeWith(old.key)).toBe('admitted');
    const { key } = (await rotate(old.id, { overlapSeconds: 0 })).body;
    expect(await codeWith(old.key)).toBe('expired_api_key');
    expect(await codeWith(key)).toBe('admitted');
  });

  it.each([-1, 30 * DAY_SECONDS + 1, 1.5, '10', null])(
    'refuses an overlap of %j',
    async (overlapSeconds) => {
      const old = await makeKey();
      const refused = await rotate(old.id, { overlapSeconds });
      expect(refused.status).toBe(400);
      expect(refused.body.details[0].field).toBe('overlapSeconds');
      app.clock.advance(DAY_SECONDS * 1000);
      expect(await codeWith(old.key)).toBe('admitted');
    },
  );

  it('never extends the expiry that a key already has, in the old key or the new', async () => {
    const old = await makeKey({ expiresAt: '2026-11-15T09:00:10Z' });
    const next = (await rotate(old.id)).body;
    expect(next.expiresAt).toBe('2026-11-15T09:00:10Z');
    app.clock.advance(10_000);
    expect(await codeWith(old.key)).toBe('expired_api_key');
    expect(await codeWith(next.key)).toBe('expired_api_key');
  });

  it('rotates a key once, also when many ask at once, and refuses the others', async () => {
    for (const overlapSeconds of [0, 60]) {
      const old = await makeKey();
      const asked = Array.from({ length: 5 }, () => rotate(old.id, { overlapSeconds }));
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(4);
      for (const answer of refused) expect(answer.body.code).toBe('key_already_rotated');
      expect((await rotate(old.id)).body.code).toBe('key_already_rotated');
      const successor = answers.find(({ status }) => status === 201)!.body;
      expect((await rotate(successor.id)).status).toBe(201);
    }
  });

  it('refuses a key with more scopes than the caller', async () => {
    const old = await makeKey();
    const manager = await makeKey({ scopes: ['manage', 'read'] });
    const refused = await rotate(old.id, undefined, manager.key);
    expect(refused.status).toBe(403);
    expect(refused.body.details).toEqual({ scope: 'write', lacking: ['write'] });
    app.clock.advance(DAY_SECONDS * 1000);
    expect(await codeWith(old.key)).toBe('admitted');
  });

  it('finds no key that is foreign, unknown, revoked or expired', async () => {
    const other = await newWorkspace(app);
    const revoked = await makeKey();
    await app.call('DELETE', `/v1/keys/${revoked.id}`, { key: own.key });
    const over = await makeKey({ expiresAt: '2026-11-15T09:00:01Z' });
    app.clock.advance(1_000);
    for (const id of [other.keyId, 'AAAAAAAAAAAA', revoked.id, over.id, 'no-id']) {
      expect((await rotate(id)).status).toBe(404);
    }
    expect(await codeWith(other.key)).toBe('admitted');
  });
});
