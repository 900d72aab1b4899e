import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NINE, stopClock } from '../../account/still-clock.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type NewWorkspace, newWorkspace } from '../account/new-workspace.ts';

const THIS_MINUTE = NINE / 60_000;
const MINUTES_A_DAY = 1_440;
const MIDNIGHT = Math.floor(THIS_MINUTE / MINUTES_A_DAY) * MINUTES_A_DAY;

let app: TestApp;
let own: NewWorkspace;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(async () => {
  stopClock(app);
  own = await newWorkspace(app);
});

/** Requests by minute, written as the service itself writes them. */
function seed(minutes: Iterable<readonly [minute: number, requests: number]>) {
  return app.transact(async (tx) => {
    for (const [minute, requests] of minutes)
      await tx.usage.addMinute(own.id, { minute, requests, refused: 0 });
  });
}

async function advice() {
  const { status, body } = await own.ask('/v1/usage/advice');
  expect(status).toBe(200);
  return body;
}

function replay(plan: string, refusedByMinute: number, refusedByDay: number) {
  return { plan, refused: refusedByMinute + refusedByDay, refusedByMinute, refusedByDay };
}

describe('getUsageAdvice', () => {
  it('recommends Free without any traffic, and is marked experimental', async () => {
    const { headers } = await own.ask('/v1/usage/advice');
    expect(headers.get('x-stability')).toBe('experimental');
    expect(await advice()).toEqual({
      from: '2026-11-14T09:01:00Z',
      to: '2026-11-15T09:00:00Z',
      plan: 'free',
      requests: 0,
      busiestMinute: 0,
      plans: [replay('free', 0, 0), replay('pro', 0, 0), replay('business', 0, 0)],
      recommended: 'free',
    });
  });

  it('replays the requests of each minute against each plan', async () => {
    await seed([
      [THIS_MINUTE - 3, 60],
      [THIS_MINUTE - 2, 310],
      [THIS_MINUTE, 61],
    ]);
    expect(await advice()).toMatchObject({
      requests: 431,
      busiestMinute: 310,
      plans: [replay('free', 251, 0), replay('pro', 10, 0), replay('business', 0, 0)],
      recommended: 'business',
    });
  });

  it('replays the day too, which begins at midnight UTC', async () => {
    const evening = Array.from({ length: 20 }, (_, i) => [MIDNIGHT - 20 + i, 60] as const);
    const morning = Array.from({ length: 17 }, (_, i) => [MIDNIGHT + i, 60] as const);
    await seed([...evening, ...morning]);
    expect(await advice()).toMatchObject({
      requests: 2_220,
      plans: [replay('free', 0, 220), replay('pro', 0, 0), replay('business', 0, 0)],
      recommended: 'pro',
    });
  });

  it('attributes a refusal to the minute while the day has requests left', async () => {
    await seed([[THIS_MINUTE, 2_000]]);
    expect((await advice()).plans[0]).toEqual(replay('free', 1_940, 0));
  });

  it('covers the last 24 hours and no more', async () => {
    await seed([
      [THIS_MINUTE - MINUTES_A_DAY, 5_000],
      [THIS_MINUTE - MINUTES_A_DAY + 1, 7],
      [THIS_MINUTE, 8],
    ]);
    expect(await advice()).toMatchObject({ requests: 15, busiestMinute: 8, recommended: 'free' });
  });

  it('recommends Enterprise when no plan with fixed limits fits', async () => {
    await seed([[THIS_MINUTE - 5, 1_001]]);
    expect(await advice()).toMatchObject({
      plans: [{ refused: 941 }, { refused: 701 }, { refused: 1 }],
      recommended: 'enterprise',
    });
  });

  it('counts all requests, admitted or refused, but not its own', async () => {
    await own.spend(65);
    expect(await advice()).toMatchObject({
      requests: 65,
      busiestMinute: 65,
      plans: [replay('free', 5, 0), replay('pro', 0, 0), replay('business', 0, 0)],
      recommended: 'pro',
    });
    expect((await advice()).requests).toBe(65);
  });
});
