import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The name of the store, for the title of the tab. */
export const storeName = signal('');

interface PageHeadProps {
  title: string;
  lead?: ComponentChildren;
  /** Buttons on the right. */
  children?: ComponentChildren;
}

/** The heading of a screen. It takes the focus when the screen is new, so that a screen reader begins there. */
export function PageHead({ title, lead, children }: PageHeadProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  // Before the screen is drawn. A Tab that follows at once then starts at the heading, and the focus stays where it went.
  useLayoutEffect(() => {
    document.title = [title, storeName.value].filter(Boolean).join(' · ');
    if (!document.querySelector('dialog[open]')) ref.current?.focus({ preventScroll: true });
  }, [title, storeName.value]);
  return (
    <header class="page-head">
      <div>
        <h1 ref={ref} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}
