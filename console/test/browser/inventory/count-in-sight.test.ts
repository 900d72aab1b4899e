// What one works with can be seen: the field that has the focus, the name beside it, a warning.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const names = Array.from({ length: 24 }, (_, place) => `Anole ${String(place).padStart(2, '0')}`);
await stocked(app, Object.fromEntries([...names, 'Peach-faced lovebird'].map((name) => [name, 3])));

test.each([320, 1440])(
  'by Tab, no field is covered by what stays in its place, %i wide',
  async (width) => {
    const { page } = await signIn(app, {
      path: '/inventory/count',
      context: { viewport: { width, height: 640 } },
    });
    await page.getByRole('button', { name: 'Start counting' }).click();
    await page.getByLabel('Count of Anole 00').focus();
    const covered = () =>
      page.evaluate(() => {
        const { left, right, top, bottom } = document.activeElement!.getBoundingClientRect();
        const spots = [top + 2, bottom - 2].map((y) =>
          document.elementFromPoint((left + right) / 2, y),
        );
        return spots.every((each) => each === document.activeElement)
          ? []
          : [document.activeElement!.id];
      });
    const found: string[] = [];
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let steps = 1; steps < names.length; steps++) {
        await page.keyboard.press(key);
        found.push(...(await covered()));
      }
    }
    expect(found).toEqual([]);
  },
);

test('at 320 px a name has room beside its count, and a warning before sending is whole', async () => {
  const { page } = await signIn(app, {
    path: '/inventory/count',
    context: { viewport: { width: 320, height: 640 } },
  });
  await page.getByRole('button', { name: 'Start counting' }).click();
  await page.getByLabel('Count of Peach-faced lovebird').fill('300');
  const cut = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((texts) => texts.filter((text) => text.scrollHeight > text.clientHeight + 1))
      .then((texts) => texts.length);
  expect(await cut('.count-list .name')).toBe(0);
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('dialog').getByText('Large change. Check the number.').waitFor();
  expect(await cut('.dialog .late')).toBe(0);
});
