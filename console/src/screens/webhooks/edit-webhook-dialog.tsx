import type { Webhook, WebhookPatch, WithResponse } from '@petstore/client';
import { useEffect, useState } from 'preact/hooks';
import { PreconditionError } from '../../api/errors.ts';
import { observed } from '../../api/limits.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { Conflict } from '../../parts/conflict.tsx';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { controlWords } from '../../words/controls.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { bodyOf, faultsOf, inputOf, WebhookFields, type WebhookInput } from './webhook-form.tsx';
import { typesText, webhookChanged } from './webhook-state.tsx';

export interface EditWebhookDialogProps {
  opened: WithResponse<Webhook>;
  onClose: () => void;
}

interface Change {
  body: WebhookPatch;
  etag: string | undefined;
}

/** Changes what is sent and where to. It must not overwrite what came between, so it sends If-Match. */
export function EditWebhookDialog({ opened: current, onClose }: EditWebhookDialogProps) {
  // The page may read the record again meanwhile.
  const [opened] = useState(current);
  const { id } = opened.data;
  const [etag, setEtag] = useState(opened.etag);
  const [input, setInput] = useState(() => inputOf(opened.data));
  const [isChecked, setChecked] = useState(false);
  const [theirs, setTheirs] = useState<WithResponse<Webhook> | undefined>(undefined);
  const [again, setAgain] = useState<string | undefined>(undefined);
  const write = useWrite<Change, Webhook>({
    send: (change, idempotencyKey) =>
      store.webhooks.update(id, change.body, { idempotencyKey, ifMatch: change.etag }),
    onDone: () => {
      say(words.saved);
      webhookChanged();
      onClose();
    },
    onError: (err) => {
      if (!(err instanceof PreconditionError)) return;
      const show = (now: WithResponse<Webhook>) => {
        // Deliveries change the record too. They are no reason to ask.
        if (isSame(inputOf(now.data), inputOf(opened.data))) setAgain(now.etag);
        else setTheirs(now);
      };
      // If it cannot be read either, the refusal stays on the screen.
      observed(() => store.webhooks.get(id).withResponse()).then(show, () => {});
    },
  });
  useEffect(() => {
    if (again !== undefined) write.run({ body, etag: again });
  }, [again]);
  useUnsaved(!isSame(input, inputOf(opened.data)));
  const body: WebhookPatch = { ...bodyOf(input), description: input.description.trim() || null };
  const submit = () => {
    setChecked(true);
    const isGood = Object.values(faultsOf(input)).every((fault) => fault === undefined);
    if (isGood) write.run({ body, etag });
  };
  return (
    <Dialog title={words.editTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        {theirs && (
          <Conflict
            fields={differences(theirs.data, input)}
            onApply={() => {
              setEtag(theirs.etag);
              setTheirs(undefined);
              write.run({ body, etag: theirs.etag });
            }}
            onLetGo={onClose}
          />
        )}
        <WebhookFields
          input={input}
          onChange={setInput}
          isChecked={isChecked}
          refusal={write.error}
        />
        <FormFooter
          write={write}
          curl={{ method: 'PATCH', path: `/webhooks/${id}`, body }}
          action={controlWords.save}
          isConflict={theirs !== undefined}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

function isSame(a: WebhookInput, b: WebhookInput): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What is there now and what was typed, where they differ. */
function differences(theirs: Webhook, input: WebhookInput) {
  const now = inputOf(theirs);
  const types = ({ isAll, types }: WebhookInput) => typesText(isAll ? ['*'] : types);
  return [
    { name: words.url, theirs: now.url, yours: input.url },
    { name: words.types, theirs: types(now), yours: types(input) },
    { name: words.description, theirs: now.description, yours: input.description },
    { name: words.batchMax, theirs: now.batchMax, yours: input.batchMax },
  ];
}
