import { useRef, useState } from 'preact/hooks';
import { fieldErrors } from '../../api/errors.ts';
import { useWrite, type WriteHandlers, type WriteStatus } from '../../api/write.ts';
import { isSame } from './changes.ts';
import { useUnsaved } from './use-unsaved.ts';

export type FieldErrors<Draft> = Partial<Record<keyof Draft, string | undefined>>;

export interface FormOptions<Draft, Body, Result> extends WriteHandlers<Body, Result> {
  /** What the fields hold at first. */
  first: Draft;
  /** The fields as the service takes them. */
  bodyOf: (draft: Draft) => Body;
  /** What is wrong with the fields, as far as the page can know. The service decides. */
  errorsOf?: (draft: Draft) => FieldErrors<Draft>;
  /** Fields that are wrong while they are typed. Their errors wait until the user tries to send. */
  checkedLate?: readonly (keyof Draft)[];
}

/** What every form shows. */
export interface FormState {
  /** What is sent. */
  body: unknown;
  hasErrors: boolean;
  write: WriteStatus;
  /** Sends the form, or marks what is wrong and goes there. */
  submit: (form?: HTMLFormElement) => void;
}

export interface Form<Draft, Body> extends FormState {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
  setDraft: (change: (draft: Draft) => Draft) => void;
  body: Body;
  /** The errors to show beside the fields. */
  errors: FieldErrors<Draft>;
  /** Takes this as what was saved. */
  begin: (draft: Draft) => void;
}

const isEmpty = (value: unknown) => value === undefined || value === '';

/**
 * A form: its fields, what is wrong with them, and the write that sends them. A field that is empty is not called wrong
 * before the user tries to send. What the service refused is shown until the field changes.
 */
export function useForm<Draft extends object, Body, Result>({
  first,
  bodyOf,
  errorsOf = () => ({}),
  checkedLate = [],
  ...handlers
}: FormOptions<Draft, Body, Result>): Form<Draft, Body> {
  const [saved, setSaved] = useState(first);
  const [draft, setDraft] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const sent = useRef(first);
  const write = useWrite<Body, Result>({
    ...handlers,
    onDone: (result, body) => {
      setSaved(sent.current);
      handlers.onDone?.(result, body);
    },
  });
  useUnsaved(!isSame(draft, saved) && write.state !== 'sending');
  const faults = errorsOf(draft);
  const hasErrors = Object.values(faults).some((fault) => fault !== undefined);
  const refused: Record<string, string> = fieldErrors(write.error);
  const errors: FieldErrors<Draft> = {};
  for (const name of Object.keys(draft) as (keyof Draft & string)[]) {
    const isDue = isChecked || !(isEmpty(draft[name]) || checkedLate.includes(name));
    const isAsSent = isSame(draft[name], sent.current[name]);
    errors[name] = (isDue ? faults[name] : undefined) ?? (isAsSent ? refused[name] : undefined);
  }
  // What the fields say is not said twice, and an answer to other input is not shown.
  const inFields = Object.keys(refused);
  const isSaid = inFields.length > 0 && inFields.every((name) => name in draft);
  const isAnswer = isSame(draft, sent.current) && !isSaid;
  const body = bodyOf(draft);
  return {
    draft,
    set: (changes) => setDraft((now) => ({ ...now, ...changes })),
    setDraft,
    body,
    errors,
    hasErrors,
    write: { ...write, error: isAnswer ? write.error : undefined },
    submit: (form) => {
      setChecked(true);
      // The first field that is wrong takes the focus once it is marked.
      if (hasErrors) {
        setTimeout(() => form?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
        return;
      }
      sent.current = draft;
      write.run(body);
    },
    begin: (next) => {
      sent.current = next;
      setSaved(next);
      setDraft(next);
      write.reset();
    },
  };
}
