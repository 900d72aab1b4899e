import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn, stocked } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';
import { actions, cutOff, overflow, smallTargets } from '../support/layout.ts';
import { oneOfEach, screensOf } from '../support/screens.ts';
import { countShifts, shiftsOf } from '../support/shifts.ts';

const app = await consoleApp();
const records = await oneOfEach(app);
const screens = Object.entries(screensOf(records));

test('on a phone nothing scrolls sideways, every target can be touched, and every action of the desktop is there', async () => {
  const { page } = await signIn(app, { context: { reducedMotion: 'reduce' } });
  const wide = new Set<string>();
  for (const [, path] of screens) {
    await goTo(page, path);
    for (const each of await actions(page)) wide.add(each);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  const narrow = new Set<string>();
  const faults: Record<string, unknown> = {};
  for (const [name, path] of screens) {
    await goTo(page, path);
    const filters = page.getByRole('button', { name: /^Filters/ });
    if (await filters.isVisible()) await filters.click();
    for (const each of await actions(page)) narrow.add(each);
    const found = [...(await smallTargets(page)), ...(await cutOff(page))];
    const tooWide = await overflow(page);
    if (tooWide > 0) found.push(`scrolls sideways by ${tooWide}`);
    if (found.length > 0) faults[name] = found;
  }
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('dialog', { name: 'More' }).waitFor();
  for (const each of await actions(page)) narrow.add(each);
  expect(faults).toEqual({});
  // What the row of an order has on a desktop, its own screen has on a phone.
  const reachable = (each: string) =>
    narrow.has(each) || narrow.has(each.replace(/ order \d+$/, ''));
  expect([...wide].filter((each) => !reachable(each))).toEqual([]);
});

test.each([
  ['at a zoom of 200 %', { viewport: { width: 720, height: 500 }, deviceScaleFactor: 2 }, ''],
  ['with longer words on a desktop', {}, '?words=long'],
  ['with longer words on a phone', { viewport: { width: 390, height: 844 } }, '?words=long'],
  ['with forced colours', { forcedColors: 'active' }, ''],
] as const)('nothing is cut off %s', async (_, context, words) => {
  const { page, open } = await signIn(app, { context: { reducedMotion: 'reduce', ...context } });
  await open(words);
  const faults: Record<string, unknown> = {};
  for (const [name, path] of screens) {
    await goTo(page, path);
    const found = await cutOff(page);
    const tooWide = await overflow(page);
    if (tooWide > 0) found.push(`scrolls sideways by ${tooWide}`);
    if (found.length > 0) faults[name] = found;
  }
  expect(faults).toEqual({});
});

test.each([1440, 390, 320])('long names and large numbers fit, %i wide', async (width) => {
  const { body } = await app.call('POST', '/v1/admin/workspaces', {
    body: {
      name: 'Zoofachgeschäft Kleintierparadies Sonnenschein',
      plan: 'enterprise',
      limits: { perMinute: 1_000_000, perDay: 1_000_000 },
    },
  });
  const { key } = body.key;
  const { pets } = await stocked(app, { [`${'x'.repeat(199)}1`]: 12_000 }, key);
  for (const [petId, delta] of Object.values(pets).flatMap((id) => [
    [id, 1_000],
    [id, -12_999],
  ])) {
    const adjustment = { delta, reason: 'Stocktake', reference: 'y'.repeat(200) };
    await app.call('POST', `/v1/inventory/${petId}/adjustments`, { key, body: adjustment });
  }
  const { page } = await signIn(app, {
    key,
    context: { reducedMotion: 'reduce', viewport: { width, height: 800 } },
  });
  const faults: Record<string, unknown> = {};
  for (const path of ['', '/inventory', '/orders', '/catalogue', '/ledger']) {
    await goTo(page, path);
    const found = await cutOff(page);
    const tooWide = await overflow(page);
    if (tooWide > 0) found.push(`scrolls sideways by ${tooWide}`);
    found.push(...(await page.evaluate(tooNarrow)));
    if (found.length > 0) faults[path] = found;
  }
  expect(faults).toEqual({});
});

/** Cells with text that have no room for a word, a top bar that its text does not fit in, and counts beside their bar. */
function tooNarrow(): string[] {
  const boxOf = (element: Element) => element.getBoundingClientRect();
  const isNarrow = (cell: Element) => {
    const { paddingLeft, paddingRight } = getComputedStyle(cell);
    return cell.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) < 45;
  };
  const visible = (selector: string) =>
    [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  return [
    ...visible('main td').filter((each) => each.textContent.length > 5 && isNarrow(each)),
    ...visible('.topbar .brand strong').filter((each) => boxOf(each).height > 56),
    ...visible('.meter .bar > p > span:last-child').filter(
      (each) => Math.abs(boxOf(each).right - boxOf(each.parentElement!).right) > 1,
    ),
  ].map((each) => `no room: ${each.outerHTML.slice(0, 120)}`);
}

test('nothing moves for those who want no motion', async () => {
  const { page } = await signIn(app, { context: { reducedMotion: 'reduce' } });
  for (const [name, path] of screens) {
    await goTo(page, path);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0) > 1)
        .map((each) => String((each.effect as KeyframeEffect).target?.className)),
    );
    expect(moving, name).toEqual([]);
  }
});

test('a desktop leaves out what repeats its columns for a phone', async () => {
  const { page } = await signIn(app);
  let repeated = 0;
  for (const [name, path] of screens) {
    await goTo(page, path);
    repeated += await page.locator('.only-narrow').count();
    expect(await page.locator('.only-narrow:visible').allTextContents(), name).toEqual([]);
  }
  expect(repeated).toBeGreaterThan(0);
});

test('a dialog reads from the left, wherever in a table it was opened', async () => {
  const { page } = await signIn(app, { path: '/catalogue' });
  await page.getByRole('button', { name: 'Edit Beagle puppy' }).click();
  const dialog = page.getByRole('dialog');
  const [box, label] = await Promise.all([
    dialog.locator('.dialog-body').boundingBox(),
    dialog.getByText('Name', { exact: true }).evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().left;
    }),
  ]);
  expect(label - box!.x).toBeLessThan(40);
});

/** Each is loaded anew, with its session and usage: the service answers only so many of these in a minute. */
const loaded = [
  'the overview',
  'inventory',
  'a pet',
  'orders',
  'a new order',
  'the catalogue',
  'the ledger',
  'usage',
];

test.each([1440, 390] as const)('nothing moves while a screen loads, %i wide', async (width) => {
  const { page, context, open } = await signIn(app, {
    width,
    context: { reducedMotion: 'reduce' },
  });
  await countShifts(page, context);
  const moved: Record<string, unknown> = {};
  for (const [name, path] of screens.filter(([each]) => loaded.includes(each))) {
    await open(path);
    const shifts = await shiftsOf(page);
    if (shifts.length > 0) moved[name] = shifts;
  }
  expect(moved).toEqual({});
});

test('a font that is here before the script is used, however late both are', async () => {
  const { page, context } = await newTab(app);
  const font = Promise.withResolvers<void>();
  const script = Promise.withResolvers<void>();
  await page.route('**/*.woff2', (route) => font.promise.then(() => route.continue()));
  await page.route('**/chunk-*.js', (route) => script.promise.then(() => route.continue()));
  await page.goto(`${app.address}/console`, { waitUntil: 'commit' });
  await page.locator('.before-start').waitFor({ state: 'attached' });
  // Longer than a browser waits for a font that is in use.
  await page.waitForTimeout(500);
  const loaded = page.waitForEvent('requestfinished', (each) => each.url().endsWith('.woff2'));
  font.resolve();
  await loaded;
  script.resolve();
  await page.getByLabel('API key').waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeId } = await devtools.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: 'h1',
  });
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
  expect(fonts.map(({ isCustomFont }) => isCustomFont)).toEqual([true]);
});
