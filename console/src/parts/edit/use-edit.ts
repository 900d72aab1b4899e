import type { WithResponse, WriteOptions } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { useWrite, type Write, type WriteHandlers } from '../../api/write.ts';
import { controlWords } from '../../words/controls.ts';
import { useUnsaved } from '../use-unsaved.ts';
import { changesOf } from './changes.ts';
import type { ConflictField } from './conflict-fields.ts';

interface Change<Body> {
  patch: Partial<Body>;
  etag: string | undefined;
}

export interface EditOptions<Value, Draft, Body, Result>
  extends Omit<WriteHandlers<Change<Body>, Result>, 'send'> {
  opened: WithResponse<Value>;
  /** What the fields of the form hold. */
  draftOf: (record: Value) => Draft;
  /** The fields as the service takes them. */
  bodyOf: (draft: Draft) => Body;
  /** The values in words, by the label of their field. */
  textsOf: (draft: Draft) => Record<string, string>;
  read: () => PromiseLike<WithResponse<Value>>;
  send: (patch: Partial<Body>, options: WriteOptions) => PromiseLike<Result>;
  /** Whether a change of what the form does not show is no reason to ask. */
  ignoresRest?: boolean;
}

export interface Edit<Value, Draft, Body> {
  base: Value;
  etag: string | undefined;
  draft: Draft;
  setDraft: (draft: Draft) => void;
  /** Only what the user changed. */
  patch: Partial<Body>;
  /** Why nothing is to be sent. */
  offReason: string | undefined;
  write: Write<Change<Body>>;
  /** The fields to show while someone else's change waits for a decision. */
  conflict: ConflictField[] | undefined;
  run: () => void;
  /** Drops the input. It takes the record as it is now, or this one. */
  begin: (record?: WithResponse<Value>) => void;
}

/**
 * Changes the record that was opened, and no other version of it: it sends If-Match. When someone else changed the record,
 * the fields that the user left alone take the new values.
 */
export function useEdit<Value, Draft extends object, Body extends object, Result>({
  opened,
  draftOf,
  bodyOf,
  textsOf,
  read,
  send,
  ignoresRest = false,
  ...handlers
}: EditOptions<Value, Draft, Body, Result>): Edit<Value, Draft, Body> {
  const [base, setBase] = useState(opened);
  const [draft, setDraft] = useState(() => draftOf(opened.data));
  /** What the fields held before someone else's change. */
  const [before, setBefore] = useState<Draft | undefined>(undefined);
  const isAgain = useRef(false);
  const first = draftOf(base.data);
  const patch = changesOf(bodyOf(first), bodyOf(draft));
  const isChanged = Object.keys(patch).length > 0;
  const show = (now: WithResponse<Value>) => {
    const theirs = draftOf(now.data);
    isAgain.current = ignoresRest && Object.keys(changesOf(first, theirs)).length === 0;
    if (!isAgain.current) setBefore(first);
    setBase(now);
    setDraft((yours) => ({ ...theirs, ...changesOf(first, yours) }));
  };
  const write = useWrite<Change<Body>, Result>({
    ...handlers,
    send: (change, idempotencyKey) => send(change.patch, { idempotencyKey, ifMatch: change.etag }),
    onError: (err, change) => {
      handlers.onError?.(err, change);
      // If it cannot be read either, the refusal stays on the screen.
      if (err instanceof PreconditionError) void observed(read).then(show, () => {});
    },
  });
  const run = () => {
    if (!isChanged && !before) return;
    setBefore(undefined);
    write.run({ patch, etag: base.etag });
  };
  useEffect(() => {
    if (isAgain.current) run();
    isAgain.current = false;
  }, [base]);
  useUnsaved(isChanged && write.state !== 'sending');
  const fields = () => {
    const [old, yours] = [textsOf(before!), textsOf(draft)];
    return Object.entries(textsOf(first)).map(([name, theirs]) => ({
      name,
      before: old[name]!,
      theirs,
      yours: yours[name]!,
    }));
  };
  return {
    base: base.data,
    etag: base.etag,
    draft,
    setDraft,
    patch,
    offReason: isChanged ? undefined : controlWords.nothing,
    write,
    conflict: before && fields(),
    run,
    begin: (record = base) => {
      setBase(record);
      setDraft(draftOf(record.data));
      setBefore(undefined);
    },
  };
}
