import { beforeAll, beforeEach, expect, it } from 'vitest';
import { limitMessage } from '../../src/http/response/limit-refusal.ts';
import { newWorkspace } from '../operations/account/new-workspace.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { stopClock } from './still-clock.ts';

let app: TestApp;

beforeAll(async () => {
  app = await testApp();
});
beforeEach(() => stopClock(app));

it('names the number, the plan and the wait when the minute refuses', async () => {
  const own = await newWorkspace(app);
  await own.spend(60);
  app.clock.advance(1_000);
  const { body } = await own.ask();
  expect(body.message).toBe('Free allows 60 requests a minute; try again in 59 s.');
});

it('names Enterprise also when its numbers are those of another plan', async () => {
  const limits = { perMinute: 60, perDay: 1_000 };
  const own = await newWorkspace(app, { plan: 'enterprise', limits });
  await own.spend(60);
  expect((await own.ask()).body.message).toContain('Enterprise allows 60 requests a minute;');
});

it('names the day and the wait in hours when the day refuses', async () => {
  const own = await newWorkspace(app, { plan: 'enterprise', limits: { perMinute: 9, perDay: 1 } });
  await own.spend(1);
  const { body } = await own.ask();
  expect(body.message).toBe('Enterprise allows 1 request a day; try again in 15 h 0 min.');
});

it('names the ban and its wait', async () => {
  const own = await newWorkspace(app, { plan: 'enterprise', limits: { perMinute: 1, perDay: 9 } });
  await own.spend(31);
  const { body } = await own.ask();
  expect(body.message).toBe(
    'The API key is banned because it continued to send requests after 429; try again in 60 s.',
  );
});

it.each([
  ['/v1/usage', 'usage and sessions'],
  ['/v1/events', 'the feed of events'],
])('names the cap of %s', async (path, what) => {
  const own = await newWorkspace(app);
  for (let sent = 0; sent < 60; sent++) await own.ask(path);
  const { body } = await own.ask(path);
  expect(body.message).toBe(`An API key has 60 requests a minute for ${what}; try again in 60 s.`);
});

it.each([
  [999, '999 requests'],
  [1_000, '1,000 requests'],
  [1_234_567, '1,234,567 requests'],
])('groups the digits of %i', (limit, text) => {
  const message = limitMessage({
    verdict: { at: 0, windows: [{ name: 'minute', limit, remaining: 0, resetAt: 60_000 }] },
    refusal: { by: 'minute', until: 60_000, retryAt: 60_000, refusalsBeforeBan: 1 },
    caller: undefined,
    cost: 1,
    retryAfterSeconds: 60,
    metering: undefined,
  });
  expect(message).toContain(`${text} a minute`);
});
