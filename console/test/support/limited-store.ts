// Stores with small limits, on a service whose clock stands still until a test moves it.

import type { Page } from 'playwright-core';
import type { TestApp } from '../../../server/test/support/app.ts';
import { consoleApp } from './console.ts';

const DAY_MS = 86_400_000;

/** Stands at noon, so that no day ends by itself. */
export class StillClock {
  // Never before the time at which the database was made.
  #now = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + DAY_MS / 2;
  now(): number {
    return this.#now;
  }
  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export interface StillApp {
  app: TestApp;
  clock: StillClock;
  /** Moves the time of the service, then that of the page. Each timer of the page fires at most once. */
  pass(page: Page, milliseconds: number): Promise<void>;
}

export async function stillApp(): Promise<StillApp> {
  const clock = new StillClock();
  const app = await consoleApp({ parts: { clock } });
  return {
    app,
    clock,
    pass: async (page, milliseconds) => {
      clock.advance(milliseconds);
      await page.clock.fastForward(milliseconds);
    },
  };
}

export interface LimitedStore {
  /** A key with the scopes read, write and manage. */
  key: string;
  id: number;
  /** Sends counted requests until so many are left of the minute. */
  useUp(left?: number): Promise<void>;
}

/** A store of its own: its limits and counters concern no other test. */
export async function limitedStore(
  app: TestApp,
  plan: 'free' | { perMinute: number; perDay: number } = 'free',
): Promise<LimitedStore> {
  const key = await app.addWorkspace();
  const { body } = await app.call('GET', '/v1/workspace', { key });
  await setPlan(app, body.id, plan);
  return {
    key,
    id: body.id,
    useUp: async (left = 0) => {
      let answer = await app.call('GET', '/v1/usage', { key });
      while (remainingOf(answer.headers) > left) {
        answer = await app.call('GET', '/v1/pets?limit=1', { key });
      }
    },
  };
}

export async function setPlan(
  app: TestApp,
  id: number,
  plan: 'free' | 'pro' | { perMinute: number; perDay: number },
): Promise<void> {
  const body = typeof plan === 'string' ? { plan } : { plan: 'enterprise', limits: plan };
  await app.call('PATCH', `/v1/admin/workspaces/${id}`, { body });
}

/** What is left of the window that has fewest requests left. */
function remainingOf(headers: Headers): number {
  return Number(headers.get('x-ratelimit-remaining'));
}
