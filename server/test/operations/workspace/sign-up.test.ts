import { beforeAll, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { count } from '../account/new-workspace.ts';

let closed: TestApp;
let open: TestApp;
let strict: TestApp;

beforeAll(async () => {
  closed = await testApp();
  const environment = { PETSTORE_SIGNUP: 'open' };
  open = await testApp({ environment });
  strict = await testApp({ environment: { ...environment, PETSTORE_ADDRESS_PER_MINUTE: '5' } });
  stopClock(strict);
});

function signUp(app: TestApp, body: unknown, headers: Record<string, string> = {}) {
  return app.call('POST', '/v1/signup', { key: null, body, headers });
}

describe('signUp', () => {
  it('is 404 unless sign-up is open, with a key or without', async () => {
    const refused = await signUp(closed, { name: 'mine' });
    expect(refused.status).toBe(404);
    expect(refused.body.code).toBe('not_found');
    const withKey = await closed.call('POST', '/v1/signup', { body: { name: 'mine' } });
    expect(withKey.status).toBe(404);
  });

  it('creates a workspace on Free with a first key, and needs no key', async () => {
    const opened = await signUp(open, { name: ' Happy Paws ' });
    expect(opened.status).toBe(201);
    const { workspace, key } = opened.body;
    expect(workspace).toMatchObject({
      name: 'Happy Paws',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
    });
    expect([...key.scopes].sort()).toEqual(['manage', 'read', 'write']);
    const own = await open.call('GET', '/v1/workspace', { key: key.key });
    expect(own.body).toEqual(workspace);
  });

  it('accepts no other plan than Free', async () => {
    for (const more of [{ plan: 'pro' }, { limits: { perMinute: 1, perDay: 1 } }]) {
      const refused = await signUp(open, { name: 'mine', ...more });
      expect(refused.status).toBe(400);
      expect(refused.body.details[0].field).toBe(Object.keys(more)[0]);
    }
  });

  it('counts for the address, which is refused beyond its limit', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await signUp(strict, { name: 'again' })).status);
    expect(count(statuses, 201)).toBe(5);
    expect(statuses[5]).toBe(429);
    const refused = await signUp(strict, { name: 'again' });
    expect(refused.headers.get('ratelimit-policy')).toBe('"minute";q=5;w=60');
    expect(refused.headers.get('retry-after')).toBe('60');
  });

  it('replays its response without the key, and creates one workspace', async () => {
    const headers = { 'idempotency-key': 'open-one' };
    const first = await signUp(open, { name: 'once' }, headers);
    const again = await signUp(open, { name: 'once' }, headers);
    const { key, ...rest } = first.body.key;
    expect(key).toMatch(/^psk_/);
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ workspace: first.body.workspace, key: rest });
  });
});
