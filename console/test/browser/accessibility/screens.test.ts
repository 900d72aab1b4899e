import { expect, test } from 'vitest';
import { consoleApp, newTab, signIn } from '../../support/console.ts';
import { goTo } from '../../support/go-to.ts';
import { LONG_NAME, oneOfEach, screensOf } from '../../support/screens.ts';
import { faultsInEveryView } from '../../support/violations.ts';

const app = await consoleApp();
const records = await oneOfEach(app, [LONG_NAME]);

test('4.6, 4.14 no screen with a name of 200 letters has a violation or is too wide', async () => {
  const { page } = await signIn(app, { context: { reducedMotion: 'reduce' } });
  for (const [name, path] of Object.entries(screensOf(records))) {
    await goTo(page, path);
    // What surrounds the screens is the same everywhere.
    const seen = name === 'the overview' ? {} : { part: 'main' };
    expect(await faultsInEveryView(page, seen), name).toEqual([]);
  }
});

test('signing in has no violation', async () => {
  const { page, open } = await newTab(app, { context: { reducedMotion: 'reduce' } });
  await open('');
  await page.getByLabel('API key').waitFor();
  expect(await faultsInEveryView(page)).toEqual([]);
});
