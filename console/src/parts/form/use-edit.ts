import type { WithResponse, WriteOptions } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { request } from '../../api/limits.ts';
import { controlWords } from '../../words/controls.ts';
import { changesOf } from './changes.ts';
import { type ConflictField, conflictOf } from './conflict-fields.ts';
import { type FieldErrors, type Form, type FormOptions, useForm } from './use-form.ts';

/** A record, and the ETag of the version that was read. */
export type Opened<Value> = Pick<WithResponse<Value>, 'data' | 'etag'>;

interface Change<Body> {
  patch: Partial<Body>;
  etag: string | undefined;
}

export interface EditOptions<Value, Draft, Body, Result>
  extends Omit<FormOptions<Draft, Change<Body>, Result>, 'first' | 'bodyOf' | 'errorsOf' | 'send'> {
  opened: Opened<Value>;
  /** What the fields of the form hold. */
  draftOf: (record: Value) => Draft;
  /** What the user changes by opening the form: it only asks whether to do it. */
  asked?: Partial<Draft>;
  /** The fields as the service takes them. */
  bodyOf: (draft: Draft) => Body;
  /** What is wrong with the fields, as far as the page can know. */
  errorsOf?: (draft: Draft, base: Value) => FieldErrors<Draft>;
  /** Whether fields that did not change are sent, too. */
  sendsAll?: boolean;
  /** The values in words, by the label of their field. */
  textsOf: (draft: Draft) => Record<string, string>;
  read: () => PromiseLike<Opened<Value>>;
  send: (patch: Partial<Body>, options: WriteOptions) => PromiseLike<Result>;
  /** Whether a change of what the form does not show is no reason to ask. */
  ignoresRest?: boolean;
}

export interface Edit<Value, Draft, Body> extends Omit<Form<Draft, Partial<Body>>, 'begin'> {
  /** The record that the change builds on. */
  base: Value;
  ifMatch: string | undefined;
  isChanged: boolean;
  /** Why nothing is to be sent. */
  offReason: string | undefined;
  /** The record before someone else's change, which waits for a decision, and the fields to show. */
  before: Value | undefined;
  conflict: ConflictField[] | undefined;
  /** Drops the input. It takes the record as it is now, or this one. */
  begin: (record?: Opened<Value>) => void;
}

/**
 * Changes the record that was opened, and no other version of it: it sends If-Match. When someone else changed the record,
 * the fields that the user left alone take the new values.
 */
export function useEdit<Value, Draft extends object, Body extends object, Result>({
  opened,
  draftOf,
  asked,
  bodyOf,
  errorsOf = () => ({}),
  sendsAll = false,
  textsOf,
  read,
  send,
  ignoresRest = false,
  ...options
}: EditOptions<Value, Draft, Body, Result>): Edit<Value, Draft, Body> {
  const [base, setBase] = useState(opened);
  const [before, setBefore] = useState<Value | undefined>(undefined);
  const isAgain = useRef(false);
  const first = draftOf(base.data);
  const show = (now: Opened<Value>) => {
    const theirs = draftOf(now.data);
    isAgain.current = ignoresRest && Object.keys(changesOf(first, theirs)).length === 0;
    if (!isAgain.current) setBefore(base.data);
    setBase(now);
    setDraft((yours) => ({ ...theirs, ...changesOf(first, yours) }));
  };
  const changesIn = (draft: Draft) => changesOf(bodyOf(first), bodyOf(draft));
  const form = useForm<Draft, Change<Body>, Result>({
    ...options,
    first: { ...first, ...asked },
    errorsOf: (draft) => errorsOf(draft, base.data),
    bodyOf: (draft) => ({ patch: sendsAll ? bodyOf(draft) : changesIn(draft), etag: base.etag }),
    send: ({ patch, etag }, idempotencyKey) => send(patch, { idempotencyKey, ifMatch: etag }),
    onError: (err, change) => {
      options.onError?.(err, change);
      // If it cannot be read either, the refusal stays on the screen.
      if (err instanceof PreconditionError) void request(read).then(show, () => {});
    },
  });
  const { draft, setDraft } = form;
  const isChanged = Object.keys(changesIn(draft)).length > 0;
  const submit = (element?: HTMLFormElement) => {
    if (!isChanged && before === undefined) return;
    if (!form.hasErrors) setBefore(undefined);
    form.submit(element);
  };
  useEffect(() => {
    if (isAgain.current) submit();
    isAgain.current = false;
  }, [base]);
  return {
    ...form,
    body: form.body.patch,
    base: base.data,
    ifMatch: base.etag,
    isChanged,
    offReason: isChanged ? undefined : controlWords.nothing,
    submit,
    before,
    conflict:
      before && conflictOf(textsOf, { before: draftOf(before), theirs: first, yours: draft }),
    begin: (record = base) => {
      setBase(record);
      setBefore(undefined);
      form.begin(draftOf(record.data));
    },
  };
}
