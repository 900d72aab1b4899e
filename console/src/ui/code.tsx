import type { ComponentChildren } from 'preact';

/** Lines of code. A wide one can be scrolled, also by keyboard. */
export function Code({ children, kind }: { children: ComponentChildren; kind?: 'json' }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide text can be scrolled by keyboard.
    <pre class={kind} tabIndex={0}>
      {children}
    </pre>
  );
}
