import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

test.each(['כלב גדול', '\u202Edesrever'])('the counts stand after the name %s', async (name) => {
  const { pets } = await stocked(app, { [name]: 7 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets[name]}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const subtitle = page.getByRole('dialog').locator('header p');
  await expect.poll(() => subtitle.textContent()).toContain(name);
  const [nameAt, countAt] = await subtitle.evaluate(
    (element, parts) =>
      parts.map((part) => {
        const range = document.createRange();
        const start = element.textContent.indexOf(part);
        range.setStart(element.firstChild!, start);
        range.setEnd(element.firstChild!, start + part.length);
        return range.getBoundingClientRect().left;
      }),
    [name, '7 on hand'],
  );
  expect(countAt).toBeGreaterThan(nameAt!);
});
