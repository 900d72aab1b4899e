import type { ComponentChildren } from 'preact';
import { Form } from '../../ui/fields/form.tsx';
import { controlWords as words } from '../../words/controls.ts';
import { Conflict } from './conflict.tsx';
import type { ConflictField } from './conflict-fields.ts';
import { FormFooter, type FormFooterProps } from './form-footer.tsx';
import { RehearseButton } from './rehearsal.tsx';
import type { FormState } from './use-form.ts';

interface FormViewProps
  extends Pick<FormFooterProps, 'look' | 'cancel' | 'onClose' | 'offReason' | 'rehearsal'> {
  /** Of `useForm` or `useEdit`. */
  form: FormState & {
    ifMatch?: string | undefined;
    offReason?: string | undefined;
    conflict?: readonly ConflictField[] | undefined;
    /** Why the record can no longer be changed. Only the way out is left then. */
    ended?: string | undefined;
  };
  method?: 'POST' | 'PATCH' | 'DELETE';
  /** Where it is sent to, below /v1. */
  path: string;
  /** What the button says that sends it. */
  action?: string;
  /** What came between, when someone else changed the record: the row of the ledger. */
  between?: ComponentChildren;
  /** Drops the input in favour of someone else's change; closes the form unless it says otherwise. */
  onDiscard?: () => void;
  class?: string;
  /** The fields. */
  children: ComponentChildren;
}

/** A form on the screen: someone else's change, the fields, what became of the write, and the buttons. */
export function FormView(props: FormViewProps) {
  const { form, method = 'POST', path, between, children, class: className, ...rest } = props;
  const { action = words.save, onDiscard = props.onClose ?? (() => {}), ...footer } = rest;
  const { write, body, ifMatch, hasErrors, conflict, ended, submit } = form;
  const offReason = props.offReason ?? form.offReason;
  return (
    <Form class={className} onSubmit={submit}>
      {(conflict || ended !== undefined) && (
        <Conflict fields={conflict ?? []} ended={ended} onApply={submit} onDiscard={onDiscard}>
          {between}
        </Conflict>
      )}
      {children}
      {ended === undefined && (
        <FormFooter
          {...footer}
          offReason={offReason}
          write={write}
          action={action}
          curl={{ method, path, body, ifMatch }}
          isCurlOff={hasErrors}
          isConflict={conflict !== undefined}
        >
          {footer.rehearsal && !hasErrors && !conflict && offReason === undefined && (
            <RehearseButton rehearsal={footer.rehearsal} />
          )}
        </FormFooter>
      )}
    </Form>
  );
}
