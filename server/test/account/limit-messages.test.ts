import { beforeAll, beforeEach, expect, it } from 'vitest';
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
  expect(body.message).toBe('60 requests a minute on Free; try again in 59 s.');
});

it('names Enterprise also when its numbers are those of another plan', async () => {
  const limits = { perMinute: 60, perDay: 1_000 };
  const own = await newWorkspace(app, { plan: 'enterprise', limits });
  await own.spend(60);
  expect((await own.ask()).body.message).toContain('60 requests a minute on Enterprise;');
});

it('names the day and the wait in hours when the day refuses', async () => {
  const own = await newWorkspace(app, { plan: 'enterprise', limits: { perMinute: 9, perDay: 1 } });
  await own.spend(1);
  const { body } = await own.ask();
  expect(body.message).toBe('1 request a day on Enterprise; try again in 15 h 0 min.');
});

it('names the ban and its wait', async () => {
  const own = await newWorkspace(app, { plan: 'enterprise', limits: { perMinute: 1, perDay: 9 } });
  await own.spend(31);
  const { body } = await own.ask();
  expect(body.message).toBe(
    'The API key is banned because it continued to send requests after 429; try again in 60 s.',
  );
});

it('names the cap of usage reports', async () => {
  const own = await newWorkspace(app);
  for (let sent = 0; sent < 60; sent++) await own.ask('/v1/usage');
  const { body } = await own.ask('/v1/usage');
  expect(body.message).toBe(
    '60 requests a minute for the usage of one API key; try again in 60 s.',
  );
});
