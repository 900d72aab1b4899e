import type { ComponentChildren } from 'preact';
import { Form } from '../../ui/fields/form.tsx';
import { controlWords as words } from '../../words/controls.ts';
import { FormFooter } from '../form-footer.tsx';
import { Conflict } from './conflict.tsx';
import type { Edit } from './use-edit.ts';

export interface EditFormProps<Value, Draft, Body> {
  edit: Edit<Value, Draft, Body>;
  /** Where the change is sent to. */
  path: string;
  /** What the button says that sends it. */
  action?: string;
  onSubmit: () => void;
  onClose?: () => void;
  onLetGo: () => void;
  /** The fields. */
  children: ComponentChildren;
}

/** The form of a record: someone else's change, the fields, and the end of the form. */
export function EditForm<Value, Draft, Body>(props: EditFormProps<Value, Draft, Body>) {
  const { edit, path, action = words.save, onSubmit, onLetGo, children, ...rest } = props;
  const { write, patch: body, etag: ifMatch, offReason, conflict } = edit;
  return (
    <Form onSubmit={onSubmit}>
      {conflict && <Conflict fields={conflict} onApply={onSubmit} onLetGo={onLetGo} />}
      {children}
      <FormFooter
        {...rest}
        write={write}
        curl={{ method: 'PATCH', path, body, ifMatch }}
        action={action}
        offReason={offReason}
        isConflict={conflict !== undefined}
      />
    </Form>
  );
}
