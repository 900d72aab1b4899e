import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn, stocked } from '../support/console.ts';
import { goTo } from '../support/go-to.ts';
import { actions, cutOff, overflow, smallTargets } from '../support/layout.ts';
import { oneOfEach, screensOf } from '../support/screens.ts';
import { countShifts, shiftsOf } from '../support/shifts.ts';

const app = await consoleApp();
const records = await oneOfEach(app);
const screens = Object.entries(screensOf(records));

const calm = { context: { reducedMotion: 'reduce' } } as const;

/** What does not fit into the window. */
async function misfits(page: Page): Promise<string[]> {
  // The drawing of a chart follows the width of its place.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const tooWide = await overflow(page);
  return [...(await cutOff(page)), ...(tooWide > 0 ? [`scrolls sideways by ${tooWide}`] : [])];
}

/** The windows in which each screen is looked at. It is loaded once: what differs is CSS. */
const windows = {
  'a desktop': { width: 1440, height: 1000 },
  'a desktop at 200 %': { width: 720, height: 500 },
  'a phone': { width: 390, height: 844 },
  'a phone at 200 %': { width: 195, height: 422 },
} as const;

test('on a phone, at 200 % and with forced colours nothing is cut off or scrolls sideways, and every action is there', async () => {
  const { page } = await signIn(app, calm);
  const wide = new Set<string>();
  const narrow = new Set<string>();
  const faults: Record<string, string[]> = {};
  const note = (where: string, found: string[]) => {
    if (found.length > 0) faults[where] = found;
  };
  let repeated = 0;
  for (const [name, path] of screens) {
    await goTo(page, path);
    for (const each of await actions(page)) wide.add(each);
    note(`${name} moves`, await page.evaluate(moving));
    // A desktop leaves out what repeats its columns for a phone.
    repeated += await page.locator('.only-narrow').count();
    note(`${name} repeats`, await page.locator('.only-narrow:visible').allTextContents());
    await page.emulateMedia({ forcedColors: 'active' });
    note(`${name} with forced colours`, await misfits(page));
    await page.emulateMedia({ forcedColors: 'none' });
    for (const [window, size] of Object.entries(windows)) {
      await page.setViewportSize(size);
      const isPhone = size.width < 400;
      const filters = page.getByRole('button', { name: /^Filters/, expanded: false });
      if (isPhone && (await filters.isVisible())) await filters.click();
      note(`${name} on ${window}`, await misfits(page));
      if (!isPhone) continue;
      for (const each of await actions(page)) narrow.add(each);
      note(`${name} on ${window}, for fingers`, await smallTargets(page));
    }
    await page.setViewportSize(windows['a desktop']);
  }
  expect(faults).toEqual({});
  expect(repeated).toBeGreaterThan(0);
  await page.setViewportSize(windows['a phone']);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('dialog', { name: 'More' }).waitFor();
  for (const each of await actions(page)) narrow.add(each);
  // What the row of an order has on a desktop, its own screen has on a phone.
  const reachable = (each: string) =>
    narrow.has(each) || narrow.has(each.replace(/ order \d+$/, ''));
  expect([...wide].filter((each) => !reachable(each))).toEqual([]);
});

/** What moves, although the user wants no motion. */
function moving(): string[] {
  return document
    .getAnimations()
    .filter(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0) > 1)
    .map((each) => String((each.effect as KeyframeEffect).target?.className));
}

test('with longer words nothing is cut off or scrolls sideways', async () => {
  const { page, open } = await signIn(app, calm);
  await open('?words=long');
  const faults: Record<string, string[]> = {};
  for (const [name, path] of screens) {
    await goTo(page, path);
    for (const window of ['a phone', 'a desktop'] as const) {
      await page.setViewportSize(windows[window]);
      const found = await misfits(page);
      if (found.length > 0) faults[`${name} on ${window}`] = found;
    }
  }
  expect(faults).toEqual({});
});

test('long names and large numbers fit', async () => {
  const { body } = await app.call('POST', '/v1/admin/workspaces', {
    body: {
      name: 'Zoofachgeschäft Kleintierparadies Sonnenschein',
      plan: 'enterprise',
      limits: { perMinute: 1_000_000, perDay: 1_000_000 },
    },
  });
  const { key } = body.key;
  const long = `${'x'.repeat(199)}1`;
  const { pets } = await stocked(app, { [long]: 12_000, Ant: 10_000_000 }, key);
  for (const [petId, delta] of [
    [pets[long], 1_000],
    [pets[long], -12_999],
    [pets.Ant, -12_345],
  ]) {
    const adjustment = { delta, reason: 'Stocktake', reference: 'y'.repeat(200) };
    await app.call('POST', `/v1/inventory/${petId}/adjustments`, { key, body: adjustment });
  }
  const order = { petId: pets.Ant, quantity: 1_000_000, complete: true };
  await app.call('POST', '/v1/store/orders', { key, body: order });
  const { page } = await signIn(app, { key, ...calm });
  const faults: Record<string, unknown> = {};
  const paths = [
    '',
    '/inventory',
    `/inventory?pet=${pets.Ant}`,
    '/orders',
    '/catalogue',
    '/ledger',
  ];
  for (const path of paths) {
    await goTo(page, path);
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const found = [...(await misfits(page)), ...(await page.evaluate(tooNarrow))];
      if (found.length > 0) faults[`${path}, ${width} wide`] = found;
    }
  }
  expect(faults).toEqual({});
});

/** Cells with text that have no room for a word, figures that are broken into lines, a top bar that its text does not fit in, and counts beside their bar. */
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
    ...visible('.figures dd').filter((each) => boxOf(each).height > 40),
    ...visible('.topbar .brand strong').filter((each) => boxOf(each).height > 56),
    ...visible('.meter .bar > p > span:last-child').filter(
      (each) => Math.abs(boxOf(each).right - boxOf(each.parentElement!).right) > 1,
    ),
  ].map((each) => `no room: ${each.outerHTML.slice(0, 120)}`);
}

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
