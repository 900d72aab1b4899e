import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { controlWords as words } from '../words/controls.ts';
import { Button } from './button.tsx';
import { openDialogs, Toasts } from './toast.tsx';
import { askToLeave, unsavedCount } from './unsaved.ts';

export interface DialogProps {
  title: string;
  subtitle?: ComponentChildren;
  onClose: () => void;
  /** Whether only its own buttons close it. For what is shown once. */
  isPersistent?: boolean;
  width?: 'normal' | 'wide';
  children: ComponentChildren;
}

/**
 * A native modal dialog. The browser keeps the focus inside and gives it back to the opener. Escape, a press beside it and
 * its cross ask first if it has unsaved input. While it sends, only the answer closes it.
 */
export function Dialog({
  title,
  subtitle,
  onClose,
  isPersistent,
  width = 'normal',
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [level] = useState(() => openDialogs.peek() + 1);
  const [unsavedBelow] = useState(unsavedCount);
  const close = () => {
    if (isPersistent || ref.current!.querySelector('[data-sending]')) return;
    if (unsavedCount() > unsavedBelow) askToLeave(onClose);
    else onClose();
  };
  useEffect(() => {
    const dialog = ref.current!;
    const opener = document.activeElement;
    dialog.showModal();
    openDialogs.value++;
    return () => {
      openDialogs.value--;
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${width}`}
      aria-labelledby={id}
      // A gesture of the system closes it too, and a second one whatever onCancel says.
      closedby={isPersistent ? 'none' : 'closerequest'}
      onCancel={(event) => {
        // A file picker that was left bubbles the same event.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        // Else a second Escape would close it whatever onCancel says.
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (isBeside(event, ref.current!)) close();
      }}
    >
      <div class="dialog-body">
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {subtitle !== undefined && <p class="muted">{subtitle}</p>}
          </div>
          {!isPersistent && <Button icon="x" look="quiet" label={words.close} onClick={close} />}
        </header>
        {children}
      </div>
      <Toasts level={level} />
    </dialog>
  );
}

/** Whether a press is outside the dialog. Its border and its scrollbar are not its content, but part of it. */
function isBeside({ target, clientX: x, clientY: y }: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (x < left - 1 || x > right || y < top - 1 || y > bottom);
}
