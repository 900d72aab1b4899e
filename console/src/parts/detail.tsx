import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { controlWords as words } from '../words/controls.ts';

export interface DetailProps {
  title: string;
  note: ComponentChildren;
  badge?: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * The record of a list that is open beside it. A narrow screen hides the list and what has the focus there: the heading
 * takes the focus then. On close the opener gets it back.
 */
export function Detail({ title, note, badge, onClose, children }: DetailProps) {
  const ref = useRef<HTMLElement>(null);
  // Before the next frame, in which an element that is hidden loses the focus.
  useLayoutEffect(() => {
    const detail = ref.current!;
    const opener = document.activeElement as HTMLElement;
    if (!opener.checkVisibility()) detail.querySelector('h2')!.focus();
    return () => {
      if (detail.contains(document.activeElement)) opener.focus();
    };
  }, []);
  return (
    <aside ref={ref} class="card detail" aria-label={title}>
      <header>
        <div>
          <h2 tabIndex={-1}>{title}</h2>
          <p class="muted">{note}</p>
        </div>
        {badge}
        <Button icon="x" look="quiet" label={words.close} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
