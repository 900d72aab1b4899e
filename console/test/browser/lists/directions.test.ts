import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleApp, signIn, stocked } from '../../support/console.ts';

const app = await consoleApp();

/** Where parts of a text begin on the screen. */
function leftsOf(text: Locator, parts: readonly string[]): Promise<number[]> {
  return text.evaluate((element, wanted) => {
    const words = [...element.childNodes].find(({ textContent }) =>
      textContent!.includes(wanted[0]!),
    )!;
    return wanted.map((part) => {
      const range = document.createRange();
      const start = words.textContent!.indexOf(part);
      range.setStart(words, start);
      range.setEnd(words, start + part.length);
      return range.getBoundingClientRect().left;
    });
  }, parts);
}

test.each(['כלב גדול', '\u202Edesrever'])('the counts stand after the name %s', async (name) => {
  const { pets } = await stocked(app, { [name]: 7 });
  const { page } = await signIn(app, { path: `/inventory?pet=${pets[name]}` });
  await page.getByRole('button', { name: 'Adjust', exact: true }).click();
  const subtitle = page.getByRole('dialog').locator('header p');
  await expect.poll(() => subtitle.textContent()).toContain(name);
  const [nameAt, countAt] = await leftsOf(subtitle, [name, '7 on hand']);
  expect(countAt).toBeGreaterThan(nameAt!);
});

test('the units of an order of several pets stay beside their pets, whose names are written from the right', async () => {
  const { pets } = await stocked(app, { כלב: 9, חתול: 9 });
  const [dog, cat] = Object.values(pets);
  for (const [petId, quantity] of [
    [dog, 1],
    [cat, 2],
  ]) {
    await app.call('POST', '/v1/store/orders', { body: { petId, quantity, reference: 'ה-1' } });
  }
  const { page } = await signIn(app, { path: '/orders', width: 390 });
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const cell = page.getByText(/1 × .*2 × /).locator('visible=true');
    const [first, second] = await leftsOf(cell, ['1 ×', '2 ×']);
    const [dogAt, catAt] = await leftsOf(cell, ['כלב', 'חתול']);
    expect([first! < dogAt!, dogAt! < second!, second! < catAt!]).toEqual([true, true, true]);
  }
});

test('how long ago a key did something stands after its name', async () => {
  const { pets } = await stocked(app, { Beagle: 9 });
  const { body } = await app.call('POST', '/v1/keys', {
    body: { name: 'קופה 4', scopes: ['read', 'write'] },
  });
  const order = await app.call('POST', '/v1/store/orders', {
    key: body.key,
    body: { petId: pets.Beagle },
  });
  const { page, open } = await signIn(app, { path: '/ledger', width: 390 });
  for (const path of ['/ledger', `/orders/${order.body.id}`]) {
    await open(path);
    const note = page.locator('span.second', { hasText: /קופה 4.*ago/ }).first();
    // The time goes on meanwhile, and until a second is over it says “now”.
    const places = async () => {
      const amount = /\d+(?= [a-z.]+ ago)/.exec((await note.textContent())!)![0];
      const [nameAt, agoAt, amountAt] = await leftsOf(note, ['קופה 4', ' ago', `${amount} `]);
      return [nameAt! < amountAt!, amountAt! < agoAt!];
    };
    await expect.poll(places).toEqual([true, true]);
  }
});
