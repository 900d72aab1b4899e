import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NINE, stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { count, type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const MINUTE_MS = 60_000;
const LIMITS = { perMinute: 3, perDay: 1_000 };

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app, { plan: 'enterprise', limits: LIMITS });
});

async function minutes(search = '') {
  const { status, body } = await own.ask(`/v1/usage/minutes${search}`);
  expect(status).toBe(200);
  return body as { minute: string; admitted: number; refused: number }[];
}

describe('getUsageMinutes', () => {
  it('returns the last hour, oldest first, with zeros where there was nothing', async () => {
    const all = await minutes();
    expect(all).toHaveLength(60);
    expect(all[0]).toEqual({ minute: '2026-11-15T08:01:00Z', admitted: 0, refused: 0 });
    expect(all.at(-1)).toEqual({ minute: '2026-11-15T09:00:00Z', admitted: 0, refused: 0 });
  });

  it('counts what was refused apart from what was admitted, at once', async () => {
    expect(count(await own.spend(5), 429)).toBe(2);
    app.clock.advance(2 * MINUTE_MS + 30_000);
    await own.spend(1);
    expect(
      (await minutes('?minutes=4')).map(({ admitted, refused }) => [admitted, refused]),
    ).toEqual([
      [0, 0],
      [3, 2],
      [0, 0],
      [1, 0],
    ]);
  });

  it('agrees with the usage report, and counts itself nowhere', async () => {
    await own.spend(4);
    await own.ask('/v1/nowhere');
    await minutes();
    const { history } = (await own.ask('/v1/usage')).body;
    const sum = (rows: { admitted: number; refused: number }[], name: 'admitted' | 'refused') =>
      rows.reduce((total, row) => total + row[name], 0);
    const all = await minutes('?minutes=1');
    expect([sum(all, 'admitted'), sum(all, 'refused')]).toEqual([3, 2]);
    expect([sum(history, 'admitted'), sum(history, 'refused')]).toEqual([3, 2]);
  });

  it('goes back a day, and survives a restart', async () => {
    await own.spend(1);
    app.clock.advance(1_439 * MINUTE_MS);
    await app.restart();
    const all = await minutes('?minutes=1440');
    expect(all).toHaveLength(1_440);
    expect(all[0]).toEqual({
      minute: new Date(NINE).toISOString().replace('.000', ''),
      admitted: 1,
      refused: 0,
    });
  });

  it('shows nothing of another workspace', async () => {
    const other = await newWorkspace(app);
    await other.spend(2);
    expect(await minutes('?minutes=1')).toMatchObject([{ admitted: 0, refused: 0 }]);
  });

  it.each(['0', '1441', '1.5', 'all', ''])('refuses minutes=%s', async (wanted) => {
    const { status, body } = await own.ask(`/v1/usage/minutes?minutes=${wanted}`);
    expect(status).toBe(400);
    expect(body.details[0].field).toBe('minutes');
  });

  it('is served when the quota is spent, at most 60 times a minute', async () => {
    await own.spend(4);
    for (let asked = 0; asked < 60; asked++) await minutes('?minutes=1');
    expect((await own.ask('/v1/usage/minutes')).body.code).toBe('rate_limit_exceeded');
  });

  it('is marked experimental', async () => {
    const { headers } = await own.ask('/v1/usage/minutes');
    expect(headers.get('x-stability')).toBe('experimental');
  });
});
