import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { controlWords as words } from '../words/controls.ts';
import { Button } from './button.tsx';
import { openDialogs } from './say.ts';
import { Toasts } from './toast.tsx';
import { askToLeave, unsavedCount } from './unsaved.ts';

interface DialogProps {
  title: string;
  subtitle?: ComponentChildren;
  onClose: () => void;
  /** Whether only its own buttons close it. For what is shown once. */
  isPersistent?: boolean;
  width?: 'normal' | 'wide';
  /** Whether nothing can be read behind it. */
  isCover?: boolean;
  children: ComponentChildren;
}

/**
 * A native modal dialog. The browser keeps the focus inside and gives it back to the opener. Its first field has the focus
 * at first, or else its first button, which is not the cross. Escape, a press beside it and its cross ask first if it has
 * unsaved input. While it sends, only the answer closes it. The second half of the double click that opened it does nothing.
 */
export function Dialog({
  title,
  subtitle,
  onClose,
  isPersistent,
  width = 'normal',
  isCover,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [level] = useState(() => openDialogs.peek() + 1);
  const [unsavedBelow] = useState(unsavedCount);
  const isPressed = useRef(false);
  /** Whether it is the second press of a double click that opened the dialog with its first. */
  const isSecond = ({ detail }: MouseEvent) => detail > 1 && !isPressed.current;
  const close = () => {
    if (isPersistent || ref.current!.querySelector('[data-sending]')) return;
    if (unsavedCount() > unsavedBelow) askToLeave(onClose);
    else onClose();
  };
  useEffect(() => {
    const dialog = ref.current!;
    const opener = document.activeElement;
    dialog.showModal();
    const stopFocus = focusFirst(dialog);
    openDialogs.value++;
    return () => {
      stopFocus();
      openDialogs.value--;
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${width}${isCover ? ' cover' : ''}`}
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
        if (isSecond(event)) return;
        isPressed.current = true;
        if (isBeside(event, ref.current!)) close();
      }}
      onClickCapture={(event) => {
        if (!isSecond(event)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div class="dialog-body">
        <header>
          <div>
            <h2 id={id} class="name" title={title} tabIndex={-1}>
              {title}
            </h2>
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

/**
 * Gives the focus to the first field, unless the browser gave it to one that asks for it. Fields may come later, with
 * their data: until then the heading has the focus.
 */
function focusFirst(dialog: HTMLElement): () => void {
  const heading = dialog.querySelector('h2')!;
  const visible = (selector: string) =>
    [...dialog.querySelectorAll<HTMLElement>(selector)].find((each) => each.checkVisibility());
  const find = () =>
    visible('.dialog-body > :not(header) :is(input, select, textarea)') ??
    visible('.dialog-body > :not(header) button');
  if (dialog.querySelector('[autofocus]')?.matches(':focus')) return () => {};
  // A long dialog is read from its top, also where its only buttons are at its end.
  (find() ?? heading).focus({ preventScroll: true });
  const observer = new MutationObserver(() => {
    if (document.activeElement === heading) find()?.focus();
    if (document.activeElement !== heading) observer.disconnect();
  });
  observer.observe(dialog, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Whether a press is outside the dialog. Its border and its scrollbar are not its content, but part of it. */
function isBeside({ target, clientX: x, clientY: y }: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (x < left - 1 || x > right || y < top - 1 || y > bottom);
}
