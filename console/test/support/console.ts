// The real service, a real browser, and the console in it. Any error of the page fails the test.

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { type TestApp, type TestAppOptions, testApp } from '../../../server/test/support/app.ts';
import { browser, PLAIN_HOST } from './chromium.ts';

export interface ConsoleOptions {
  width?: 1440 | 390;
  theme?: 'light' | 'dark';
  timeZone?: string;
  context?: BrowserContextOptions;
  /** The page has a clock of its own, which starts at this moment and can be moved. */
  time?: number;
  /** Statuses of responses that this test provokes. The browser logs each as an error. */
  statuses?: readonly number[];
  /** Whether the page comes from a plain http origin, which is no secure context. `PLAIN_HTTP=1` makes it so in all tests. */
  isPlain?: boolean;
}

export interface Tab {
  page: Page;
  context: BrowserContext;
  /** Method and path of every request to the API, in order. */
  requests: string[];
  /** Errors of the page so far. Any that is left at its end fails the test. */
  faults: string[];
  /** Goes to a path of the console. */
  open(path: string): Promise<void>;
}

/** A service for one test file. The default limits are never reached, and an owner may leave them for another plan. */
export function consoleApp(options: TestAppOptions = {}): Promise<TestApp> {
  const plans = { PETSTORE_SELF_SERVICE_PLANS: 'free,pro,business,enterprise' };
  return testApp({
    engine: 'sqlite',
    ...options,
    environment: { ...plans, ...options.environment },
  });
}

/** Where the browser finds the service. */
export function originOf({ address }: TestApp, isPlain = process.env.PLAIN_HTTP === '1'): string {
  return isPlain ? address.replace('127.0.0.1', PLAIN_HOST) : address;
}

/** A browser with one tab, which has not been anywhere yet. It is closed when the test ends. */
export async function newTab(app: TestApp, options: ConsoleOptions = {}): Promise<Tab> {
  const { width = 1440, theme = 'light', timeZone = 'Europe/Berlin' } = options;
  const context = await (await browser()).newContext({
    viewport: { width, height: width === 390 ? 844 : 1000 },
    colorScheme: theme,
    timezoneId: timeZone,
    locale: 'en-GB',
    ...options.context,
  });
  const faults: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  const page = await watchedPage(context, faults, options.statuses ?? []);
  if (options.time !== undefined) await page.clock.install({ time: options.time });
  const requests: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/v1'))
      requests.push(`${request.method()} ${url.pathname}${url.search}`);
  });
  return {
    page,
    context,
    requests,
    faults,
    open: async (path) => {
      await page.goto(`${originOf(app, options.isPlain)}/console${path}`);
    },
  };
}

async function watchedPage(
  context: BrowserContext,
  faults: string[],
  statuses: readonly number[],
): Promise<Page> {
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  const page = await context.newPage();
  page.on('pageerror', (err) => faults.push(`page error: ${err.stack ?? err.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || isExpected(message.text(), message.location().url, statuses))
      return;
    faults.push(`console error: ${message.text()} ${message.location().url}`);
  });
  return page;
}

/** Whether it is the browser's note about a response with a status that the test provokes. */
function isExpected(text: string, url: string, statuses: readonly number[]): boolean {
  const status = Number(/status of (\d{3})/.exec(text)?.[1]);
  // Over plain http the browser ignores these headers, and says so.
  if (/^(The Cross-Origin-Opener-Policy|Clear-Site-Data) header/.test(text)) return true;
  if (status === 401 && url.endsWith('/v1/session')) return true;
  if (/ERR_(CONNECTION|INCOMPLETE|EMPTY|NETWORK|INTERNET|FAILED)/.test(text))
    return statuses.includes(0);
  return statuses.includes(status);
}

/** A tab that is signed in. Without a path it waits for the overview. `sign-in.test.ts` goes through the form. */
export async function signIn(
  app: TestApp,
  options: ConsoleOptions & { key?: string; path?: string } = {},
): Promise<Tab> {
  const tab = await newTab(app, options);
  await tab.context.addCookies([
    {
      ...(await newSession(app, options.key)),
      url: originOf(app, options.isPlain),
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);
  await tab.open(options.path ?? '');
  if (options.path === undefined) {
    await tab.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }
  return tab;
}

async function newSession({ address, key: ownKey }: TestApp, key = ownKey) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${address}/v1/session`, { method: 'POST', headers });
  const cookie = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '');
  if (!cookie) throw new Error(`no session: ${response.status} ${await response.text()}`);
  await response.text();
  return { name: cookie[1]!, value: cookie[2]! };
}

export interface Stock {
  categoryId: number;
  /** The ids of the pets, by name. */
  pets: Record<string, number>;
}

/** A category with pets, each with its stock. */
export async function stocked(
  app: TestApp,
  quantities: Record<string, number>,
  key = app.key,
): Promise<Stock> {
  const category = await app.call('POST', '/v1/categories', {
    key,
    body: { name: `Kind ${Date.now()} ${Math.random()}` },
  });
  const pets: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    const { body: pet } = await app.call('POST', '/v1/pets', {
      key,
      body: { name, categoryId: category.body.id },
    });
    await app.call('PATCH', `/v1/inventory/${pet.id}`, {
      key,
      body: { quantity, reason: 'first count' },
    });
    pets[name] = pet.id;
  }
  return { categoryId: category.body.id, pets };
}
