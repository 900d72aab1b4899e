// A field of a count that has the focus can be seen, whichever way one came to it.

import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();
const names = Array.from({ length: 24 }, (_, place) => `Anole ${String(place).padStart(2, '0')}`);
await stocked(app, Object.fromEntries(names.map((name) => [name, 3])));

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
