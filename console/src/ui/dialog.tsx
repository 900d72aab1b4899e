import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { commonWords as words } from '../words/common.ts';
import { Button } from './button.tsx';

export interface DialogProps {
  title: string;
  subtitle?: ComponentChildren;
  onClose: () => void;
  /** Whether only its own buttons close it. For what is shown once. */
  isPersistent?: boolean;
  width?: 'normal' | 'wide';
  children: ComponentChildren;
}

/** A native modal dialog. The browser keeps the focus inside and gives it back to the opener. */
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
  useEffect(() => {
    const dialog = ref.current!;
    const opener = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${width}`}
      aria-labelledby={id}
      // Without it, a second Escape closes the dialog whatever onCancel says.
      closedby={isPersistent ? 'none' : 'closerequest'}
      onCancel={(event) => {
        event.preventDefault();
        if (!isPersistent) onClose();
      }}
      onMouseDown={(event) => {
        if (!isPersistent && isBeside(event, ref.current!)) onClose();
      }}
    >
      <div class="dialog-body">
        <header>
          <div>
            <h2 id={id}>{title}</h2>
            {subtitle !== undefined && <p class="muted">{subtitle}</p>}
          </div>
          {!isPersistent && <Button icon="x" look="quiet" label={words.close} onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Whether a press is outside the dialog. Its border and its scrollbar are not its content, but part of it. */
function isBeside({ target, clientX: x, clientY: y }: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (x < left - 1 || x > right || y < top - 1 || y > bottom);
}
