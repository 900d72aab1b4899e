/** Gives the focus to the heading when what had it is gone: a row, a link to the next page, the opener of a dialog. */
export function startLostFocus(): void {
  let last: Node | undefined;
  addEventListener('focusin', ({ target }) => {
    last = target as Node;
  });
  new MutationObserver(() => {
    if (last?.isConnected === false) document.querySelector('h1')?.focus({ preventScroll: true });
  }).observe(document, { childList: true, subtree: true });
}
