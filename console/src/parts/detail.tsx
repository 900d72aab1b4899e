import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { controlWords as words } from '../words/controls.ts';

interface DetailProps {
  title: string;
  note: ComponentChildren;
  badge?: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * The record of a list that is open beside it. Its heading takes the focus when a row of the list was opened. Escape
 * closes it, and the opener gets the focus back.
 */
export function Detail({ title, note, badge, onClose, children }: DetailProps) {
  const ref = useRef<HTMLElement>(null);
  // Before the next frame, in which an element that is hidden loses the focus.
  useLayoutEffect(() => {
    const detail = ref.current!;
    const opener = document.activeElement as HTMLElement;
    const isOpened = opener.closest('main tr, main li') !== null;
    if (isOpened || !opener.checkVisibility()) detail.querySelector('h2')!.focus();
    return () => {
      if (detail.contains(document.activeElement)) opener.focus();
    };
  }, []);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const isElsewhere =
        document.querySelector('dialog[open], :popover-open') !== null ||
        (event.target as Element).closest('input, select, textarea') !== null;
      if (!isElsewhere) close.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <aside ref={ref} class="card detail" aria-label={title}>
      <header>
        <div>
          <h2 class="name" title={title} tabIndex={-1}>
            {title}
          </h2>
          <p class="muted name">{note}</p>
        </div>
        {badge}
        <Button icon="x" look="quiet" label={words.close} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
