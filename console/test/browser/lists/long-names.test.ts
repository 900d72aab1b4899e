import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';
import { goTo } from '../../support/go-to.ts';

const app = await consoleApp();
const LONG = 'Wolkenkratzerhund'.repeat(12).slice(0, 200);

test('a name of 200 letters takes two lines on the screen, and is whole on paper', async () => {
  const { pets } = await stocked(app, { [LONG]: 5 });
  const { page } = await signIn(app, { path: '/inventory' });
  const linesOf = () =>
    page.evaluate((name) => {
      const shown = [...document.querySelectorAll<HTMLElement>('main *')].filter(
        (each) => each.textContent === name && each.children.length === 0 && each.checkVisibility(),
      );
      return shown.map((each) => ({
        lines: Math.round(each.clientHeight / Number.parseFloat(getComputedStyle(each).lineHeight)),
        isCut: each.scrollHeight > each.clientHeight + 2,
      }));
    }, LONG);
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ['/inventory', '/catalogue', '/ledger', `/inventory?pet=${pets[LONG]}`]) {
      await page.emulateMedia({ media: 'screen' });
      await goTo(page, path);
      await expect.poll(async () => (await linesOf()).length).toBeGreaterThan(0);
      for (const { lines } of await linesOf()) expect(lines, path).toBeLessThanOrEqual(2);
      await page.emulateMedia({ media: 'print' });
      for (const { isCut } of await linesOf()) expect(isCut, path).toBe(false);
    }
  }
});

test('a dialog says all of its sentence after a name of 200 letters', async () => {
  const { pets } = await stocked(app, { [LONG]: 5 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets[LONG]}&adjust=1` });
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const subtitle = page.getByRole('dialog').getByText('5 on hand, 0 reserved');
    await expect
      .poll(() => subtitle.evaluate((each) => each.scrollHeight <= each.clientHeight + 1))
      .toBe(true);
  }
});
