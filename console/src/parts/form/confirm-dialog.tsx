import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { WriteStatus } from '../../api/write.ts';
import type { CurlProps } from '../../ui/curl.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { isTypedName } from '../name-words.ts';
import { FormFooter } from './form-footer.tsx';

interface ConfirmDialogProps {
  title: string;
  /** What the button does: "Revoke web shop". */
  action: string;
  look?: 'danger' | 'primary';
  write: WriteStatus;
  onConfirm: () => void;
  onClose: () => void;
  /** A text that has to be typed first. */
  typed?: { label: string; text: string } | undefined;
  curl: CurlProps;
  /** What happens. */
  children: ComponentChildren;
}

/** Asks before a step that cannot be undone, and says what it does. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, look = 'danger', write, typed, onClose } = props;
  const [text, setText] = useState('');
  const isTyped = typed === undefined || isTypedName(text, typed.text);
  const submit = () => {
    if (isTyped) props.onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={submit}>
        {props.children}
        {typed && <TextField label={typed.label} value={text} onInput={setText} isFocused />}
        <FormFooter
          write={write}
          curl={props.curl}
          action={action}
          look={look}
          offReason={isTyped ? undefined : typed?.label}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
