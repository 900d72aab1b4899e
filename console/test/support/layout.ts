// What a ruler finds on the screen: what is too wide, cut off or too small to be touched.

import type { Page } from 'playwright-core';

const FRAMES_MAX = 3;

/** By how many pixels the page is wider than its window. A chart follows the window in the next frame. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(async (framesMax) => {
    const { documentElement: root } = document;
    for (let frames = 0; root.scrollWidth > root.clientWidth && frames < framesMax; frames += 1) {
      await new Promise(requestAnimationFrame);
    }
    return root.scrollWidth - root.clientWidth;
  }, FRAMES_MAX);
}

/** Controls that are smaller than 24 by 24 pixels. Links in a sentence are as high as its line. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll(
      'a, button, input, select, textarea, summary, [role="option"]',
    );
    return [...controls].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true })) return [];
      if (control.closest('.skip, [type="file"]')) return [];
      const isInSentence =
        control.matches('a') &&
        control.closest('p, .hint, .second, dd') !== null &&
        getComputedStyle(control).display === 'inline';
      if (isInSentence) return [];
      const target = control.matches('[type="checkbox"], [type="radio"]')
        ? (control.closest('label') ?? control)
        : control;
      const { width, height } = target.getBoundingClientRect();
      if (width >= 24 && height >= 24) return [];
      return [`${Math.round(width)} x ${Math.round(height)}: ${control.outerHTML.slice(0, 120)}`];
    });
  });
}

/** Texts that reach out of the window, or out of a box that hides what does not fit. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const parent = node.parentElement!;
      if (text === '' || !parent.checkVisibility({ visibilityProperty: true })) continue;
      if (parent.closest('.visually-hidden, .skip, svg, option')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { left, right, width } = range.getBoundingClientRect();
      if (width === 0) continue;
      for (let box: Element | null = parent; box; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll') break;
        const isRoot = box === document.documentElement;
        if (!isRoot && overflowX === 'visible') continue;
        // Hidden from the eye on purpose: only screen readers get it.
        if (box.clientWidth <= 1) break;
        const edge = isRoot
          ? { left: 0, right: document.documentElement.clientWidth }
          : box.getBoundingClientRect();
        if (left < edge.left - 1 || right > edge.right + 1) {
          found.push(`"${text.slice(0, 60)}" in ${parent.tagName}.${parent.className}`);
          break;
        }
      }
    }
    for (const control of document.querySelectorAll(
      'button, .button, h1, h2, h3, th, td, .badge',
    )) {
      if (!control.checkVisibility() || control.closest('.visually-hidden')) continue;
      const { overflowX } = getComputedStyle(control);
      if (overflowX === 'auto' || overflowX === 'scroll') continue;
      if (control.clientWidth > 0 && control.scrollWidth > control.clientWidth + 1) {
        found.push(
          `too narrow by ${control.scrollWidth - control.clientWidth}: ${control.outerHTML.slice(0, 120)}`,
        );
      }
    }
    return found;
  });
}

/** What one can do here: where the links lead, and what the buttons and fields are called. */
export function actions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>('a, button, input, select, textarea');
    const labelOf = (control: HTMLElement) =>
      control.getAttribute('aria-label') ??
      ((control as HTMLInputElement).labels?.[0]?.textContent || control.textContent) ??
      '';
    return [...controls]
      .filter((control) => control.checkVisibility({ visibilityProperty: true }))
      .map((control) =>
        control instanceof HTMLAnchorElement
          ? `link to ${control.getAttribute('href')}`
          : `${control.localName} ${labelOf(control).trim()}`,
      );
  });
}
