import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopClock } from '../../account/still-clock.ts';
import { type Answer, type TestApp, testApp } from '../../support/app.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const BAN_AFTER = 3;

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_BAN_AFTER: String(BAN_AFTER) } });
});
beforeEach(() => stopClock(app));

/** A workspace with one request a minute, whose key is banned. */
async function banned(): Promise<NewWorkspace> {
  const limits = { perMinute: 1, perDay: 1_000 };
  const own = await newWorkspace(app, { plan: 'enterprise', limits });
  await own.spend(1 + BAN_AFTER);
  expect((await own.ask()).body.code).toBe('key_banned');
  return own;
}

function lift(keyId: string, headers: Record<string, string> = {}) {
  return app.call('DELETE', `/v1/admin/bans/${keyId}`, { headers });
}

describe('adminListBans', () => {
  it('shows the bans in force with their start, end and strikes', async () => {
    const { keyId, id } = await banned();
    const { body } = await app.call('GET', '/v1/admin/bans?limit=100');
    expect(body).toContainEqual({
      keyId,
      workspaceId: id,
      since: '2026-11-15T09:00:00Z',
      until: '2026-11-15T09:01:00Z',
      strikes: 1,
    });
    app.clock.advance(60_000);
    const later = await app.call('GET', '/v1/admin/bans?limit=100');
    expect(later.body).toEqual([]);
  });

  it('pages through them, each once, in both orders', async () => {
    const keyIds: string[] = [];
    for (let i = 0; i < 5; i++) keyIds.push((await banned()).keyId);
    for (const sort of ['id', '-id']) {
      const seen: string[] = [];
      let path: string | undefined = `/v1/admin/bans?limit=2&sort=${sort}`;
      while (path) {
        const page: Answer<{ keyId: string }[]> = await app.call('GET', path);
        expect(page.body.length).toBeLessThanOrEqual(2);
        seen.push(...page.body.map(({ keyId }) => keyId));
        const link = page.headers.get('link') ?? '';
        path = /<(\/[^>]*)>; rel="next"/.exec(link)?.[1];
      }
      const sorted = [...new Set(seen)].sort();
      expect(seen).toEqual(sort === 'id' ? sorted : sorted.reverse());
      expect(seen).toEqual(expect.arrayContaining(keyIds));
    }
  });
});

describe('adminLiftBan', () => {
  it('admits the key again at once; its next ban is longer', async () => {
    const own = await banned();
    const lifted = await lift(own.keyId);
    expect([lifted.status, lifted.text]).toEqual([204, '']);
    const { body } = await app.call('GET', '/v1/admin/bans?limit=100');
    expect(body.map(({ keyId }: { keyId: string }) => keyId)).not.toContain(own.keyId);
    const refused = await own.ask();
    expect(refused.body.code).toBe('rate_limit_exceeded');
    expect(refused.body.details.refusalsBeforeBan).toBe(BAN_AFTER - 1);
    app.clock.advance(60_000);
    expect((await own.ask()).status).toBe(200);
    await own.spend(BAN_AFTER);
    expect((await own.ask()).headers.get('retry-after')).toBe('300');
  });

  it('finds no ban of a key that is not banned, no longer banned, or unknown', async () => {
    const own = await banned();
    expect((await lift(own.keyId)).status).toBe(204);
    for (const keyId of [own.keyId, 'AAAAAAAAAAAA', 'no-id']) {
      expect((await lift(keyId)).status).toBe(404);
    }
    const over = await banned();
    app.clock.advance(60_000);
    expect((await lift(over.keyId)).status).toBe(404);
  });

  it.each([
    ['lifted', true],
    ['not found', false],
  ])('leaves a later ban alone when a request that was %s is repeated', async (_, wasBanned) => {
    const limits = { perMinute: 1, perDay: 1_000 };
    const own = wasBanned
      ? await banned()
      : await newWorkspace(app, { plan: 'enterprise', limits });
    const headers = { 'idempotency-key': `lift-${own.keyId}` };
    const first = await lift(own.keyId, headers);
    expect(first.status).toBe(wasBanned ? 204 : 404);
    app.clock.advance(60_000);
    await own.spend(1 + BAN_AFTER);
    const again = await lift(own.keyId, headers);
    expect(again.status).toBe(first.status);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    app.clock.advance(2_000);
    expect((await own.ask()).body.code).toBe('key_banned');
  });
});
