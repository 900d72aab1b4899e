import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newWorkspace } from '../operations/account/new-workspace.ts';
import { type Answer, type TestApp, testApp } from '../support/app.ts';
import { stopClock } from './still-clock.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => stopClock(app));

/** A workspace that sends batches, each of so many times a hundred rows. */
async function newSender(perMinute: number, perDay: number) {
  const own = await newWorkspace(app, { plan: 'enterprise', limits: { perMinute, perDay } });
  const send = (hundreds: number) => {
    const pets = Array.from({ length: hundreds * 100 }, () => ({ name: 'Rex', categoryId: 1 }));
    return app.call('POST', '/v1/pets/batch', { key: own.key, body: { pets, mode: 'each' } });
  };
  return { own, send };
}

function remainingOf({ headers }: Answer): string | null {
  return headers.get('x-ratelimit-remaining');
}

describe('a batch', () => {
  it('costs one request for every 100 rows', async () => {
    const { send } = await newSender(10, 1_000);
    const answer = await send(4);
    expect([answer.status, remainingOf(answer)]).toEqual([200, '6']);
    expect(answer.headers.get('ratelimit')).toBe('"minute";r=6;t=60, "day";r=996;t=54000');
  });

  it('that is refused costs nothing, and its headers agree with each other', async () => {
    const { own, send } = await newSender(10, 1_000);
    await send(7);
    const refused = await send(4);
    expect([refused.status, remainingOf(refused)]).toEqual([429, '3']);
    expect(refused.headers.get('ratelimit')).toBe('"minute";r=3;t=60, "day";r=993;t=54000');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body.message).toBe(
      'Enterprise allows 10 requests a minute. This one costs 4, and 3 are left; try again in 60 s.',
    );
    expect(remainingOf(await send(3))).toBe('0');
    expect((await own.ask()).status).toBe(429);
    app.clock.advance(60_000);
    expect((await send(4)).status).toBe(200);
  });

  it('that is refused is in the usage report as refused, not as admitted', async () => {
    const { own, send } = await newSender(10, 1_000);
    await send(7);
    await send(4);
    const { history } = (await own.ask('/v1/usage')).body;
    expect(history).toMatchObject([
      { operationId: 'createPets', admitted: 1, refused: 1, failed: 0 },
    ]);
  });

  it('that costs more than a whole window is invalid, since waiting would not help', async () => {
    const { send } = await newSender(5, 1_000);
    const minute = await send(6);
    expect([minute.status, minute.body.code]).toEqual([400, 'invalid_request']);
    expect(minute.body.message).toContain(
      'costs 6 requests of the quota, and the limit is 5 a minute',
    );
    expect(minute.headers.get('retry-after')).toBeNull();
    expect((await send(4)).status).toBe(200);
    const daily = await newSender(1_000, 3);
    expect((await daily.send(4)).body.message).toContain('the limit is 3 a day');
  });
});
