import type { Page } from 'playwright-core';

/** Keeps all that the page says from now on, however shortly. */
export async function everyText(page: Page): Promise<() => Promise<string[]>> {
  const texts = await page.evaluateHandle(() => {
    const kept: string[] = [];
    const keep = () => kept.push(document.body.textContent);
    const all = { subtree: true, childList: true, characterData: true };
    new MutationObserver(keep).observe(document.body, all);
    return kept;
  });
  return () => texts.jsonValue();
}
