import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { consoleApp, signIn, type Tab } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';
import { oneOfEach, screensOf } from '../support/screens.ts';

const app = await consoleApp();
const HOSTILE = '<img src=x onerror="window.hacked=1">';

/** A page of someone else. */
const stranger = createServer((_, res) => {
  res.setHeader('content-type', 'text/html');
  res.end('<!doctype html><title>A page of someone else</title><body></body>');
});
await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
const { port } = stranger.address() as AddressInfo;
afterAll(() => stranger.close());

describe.each([
  ['another port', `http://127.0.0.1:${port}`, true],
  ['another site', `http://localhost:${port}`, false],
] as const)('a page on %s', (_, origin, isSameSite) => {
  test('changes nothing and reads nothing by requests', async () => {
    const { page, keyId, cookies } = await visit(origin);
    const before = await state();
    const seen = await page.evaluate(requestsOf, { target: app.address, keyId });
    expect(seen).toEqual(seen.map(() => 'nothing'));
    // The attack is real: the browser sends the cookie along within a site.
    expect(cookies.some((each) => each.includes('petstore_session'))).toBe(isSameSite);
    expect(await state()).toEqual(before);
  });

  test('changes nothing by a form', async () => {
    const { page, keyId } = await visit(origin);
    const before = await state();
    for (const path of [`/v1/keys/${keyId}/rotate`, '/v1/categories']) {
      const answered = page.waitForResponse((each) => each.url().endsWith(path));
      await page.evaluate(postForm, `${app.address}${path}`);
      expect((await answered).status()).toBeGreaterThanOrEqual(400);
      await page.waitForURL(`${app.address}${path}`);
      await page.goto(origin);
    }
    expect(await state()).toEqual(before);
  });

  test('shows no frame of the console', async () => {
    const { page } = await visit(origin);
    const isReadable = await page.evaluate(frameOf, `${app.address}/console`);
    expect(isReadable).toBe(false);
    const frame = page.frames().find((each) => each !== page.mainFrame())!;
    expect(await frame.locator('#console').count()).toBe(0);
  });
});

test('the policy allows nothing but own files, and Trusted Types are on', async () => {
  const res = await fetch(`${app.address}/console`);
  const policy = (res.headers.get('content-security-policy') ?? '').split(/;\s*/).sort();
  expect(policy).toEqual(
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].sort(),
  );
});

test.each([
  [
    'innerHTML',
    'require-trusted-types-for',
    () => {
      document.querySelector('main')!.innerHTML = '<b>planted</b>';
    },
  ],
  [
    'an inline style',
    'style-src',
    () => {
      document.querySelector('main')!.setAttribute('style', 'color: red');
    },
  ],
  [
    'an inline script',
    'require-trusted-types-for',
    () => {
      const script = document.createElement('script');
      script.append('window.hacked = 1');
      document.body.append(script);
    },
  ],
] as const)('%s is blocked and would fail a test', async (_, directive, plant) => {
  const { page, faults } = await signIn(app);
  await page.evaluate(plant).catch(() => {});
  await expect.poll(() => faults.join('\n')).toContain(directive);
  expect(await page.locator('main b').count()).toBe(0);
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  faults.splice(0);
});

test('a name with markup is shown as text on every screen', async () => {
  await app.call('PATCH', '/v1/admin/workspaces/1', { body: { name: HOSTILE } });
  const records = await oneOfEach(app, [HOSTILE]);
  const tab = await signIn(app, { context: { reducedMotion: 'reduce' } });
  const asked: string[] = [];
  tab.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const silent: string[] = [];
  for (const [name, path] of Object.entries(screensOf(records))) {
    await goTo(tab.page, path);
    if (!(await showsHostile(tab))) silent.push(name);
  }
  expect(silent).toEqual(SHOW_NO_NAME);
  expect(await tab.page.locator('img').count()).toBe(0);
  expect(await tab.page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  expect(asked.filter((path) => path.endsWith('/x'))).toEqual([]);
});

/** Screens whose own content has no name that a user gives. */
const SHOW_NO_NAME = [
  'counting stock',
  'usage',
  'plan',
  'a request',
  'an event',
  'what is low',
  'the nodes',
  'bans',
  'an address that leads nowhere',
];

async function showsHostile({ page }: Tab): Promise<boolean> {
  const main = page.locator('main');
  const texts = [
    await main.textContent(),
    ...(await main
      .locator('input')
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))),
  ];
  return texts.some((text) => text?.includes(HOSTILE));
}

/** Someone who is signed in opens the page of someone else. */
async function visit(origin: string): Promise<{ page: Page; keyId: string; cookies: string[] }> {
  const { context } = await signIn(app);
  const key = await app.addKey(['read']);
  const page = await context.newPage();
  const cookies: string[] = [];
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
    cookies.push(headers.Cookie ?? headers.cookie ?? '');
  });
  await page.goto(origin);
  return { page, keyId: key.slice(4, 16), cookies };
}

/** All that an attack could change. */
async function state(): Promise<unknown> {
  const keys = await app.call('GET', '/v1/keys');
  const categories = await app.call('GET', '/v1/categories');
  const pets = await app.call('GET', '/v1/pets');
  return {
    keys: keys.body.map(({ id, revokedAt, expiresAt }: Record<string, unknown>) => ({
      id,
      revokedAt,
      expiresAt,
    })),
    categories: categories.body,
    pets: pets.body,
  };
}

/** Runs in the page: reads and writes, with the cookie where the browser sends it. Says what it got from each. */
async function requestsOf({ target, keyId }: { target: string; keyId: string }): Promise<string[]> {
  const body = JSON.stringify({ name: 'planted' });
  const attacks: [string, RequestInit][] = [
    ['/v1/keys', { credentials: 'include' }],
    ['/v1/session', { credentials: 'include' }],
    ['/v1/keys', { credentials: 'include', mode: 'no-cors' }],
    [`/v1/keys/${keyId}/rotate`, { method: 'POST', credentials: 'include', mode: 'no-cors' }],
    ['/v1/categories', { method: 'POST', credentials: 'include', mode: 'no-cors', body }],
    [
      '/v1/categories',
      {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json' },
        body,
      },
    ],
    [`/v1/keys/${keyId}`, { method: 'DELETE', credentials: 'include' }],
  ];
  const seen: string[] = [];
  for (const [path, init] of attacks) {
    const text = await fetch(`${target}${path}`, init).then(
      (res) => res.text(),
      () => '',
    );
    seen.push(text === '' ? 'nothing' : `${path}: ${text}`);
  }
  return seen;
}

function postForm(action: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.enctype = 'text/plain';
  form.action = action;
  const input = document.createElement('input');
  input.name = '{"name":"planted","x":"';
  input.value = '"}';
  form.append(input);
  document.body.append(form);
  form.submit();
}

/** Whether the page can look into a frame with this address. */
async function frameOf(src: string): Promise<boolean> {
  const frame = document.createElement('iframe');
  frame.src = src;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  await loaded;
  return frame.contentDocument !== null;
}

test('a covered screen opens no search', async () => {
  const { page } = await signIn(app, { time: Date.now() });
  await page.clock.fastForward(31 * 60_000);
  const cover = page.getByRole('dialog');
  await cover.waitFor();
  await page.keyboard.press('Control+k');
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  expect(await page.getByRole('combobox', { name: 'Search' }).count()).toBe(0);
  await expect.poll(() => cover.count()).toBe(1);
});
