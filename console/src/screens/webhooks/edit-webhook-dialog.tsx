import type { Webhook, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { EditForm } from '../../parts/edit/edit-form.tsx';
import { useEdit } from '../../parts/edit/use-edit.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';
import { bodyOf, faultsOf, inputOf, WebhookFields, type WebhookInput } from './webhook-form.tsx';
import { typesText, webhookChanged } from './webhook-state.tsx';

export interface EditWebhookDialogProps {
  opened: WithResponse<Webhook>;
  onClose: () => void;
}

/** Changes what is sent and where to. */
export function EditWebhookDialog({ opened, onClose }: EditWebhookDialogProps) {
  const { id } = opened.data;
  const [isChecked, setChecked] = useState(false);
  const edit = useEdit({
    opened,
    draftOf: inputOf,
    bodyOf: (input) => ({ ...bodyOf(input), description: input.description.trim() || null }),
    textsOf,
    read: () => store.webhooks.get(id).withResponse(),
    send: (body, options) => store.webhooks.update(id, body, options),
    onDone: () => {
      say(words.saved);
      webhookChanged();
      onClose();
    },
    // Deliveries change the record, too.
    ignoresRest: true,
  });
  const { draft, setDraft, write, run } = edit;
  const submit = () => {
    setChecked(true);
    const isGood = Object.values(faultsOf(draft)).every((fault) => fault === undefined);
    if (isGood) run();
  };
  return (
    <Dialog title={words.editTitle} onClose={onClose}>
      <EditForm
        edit={edit}
        path={`/webhooks/${id}`}
        onSubmit={submit}
        onClose={onClose}
        onLetGo={onClose}
      >
        <WebhookFields
          input={draft}
          onChange={setDraft}
          isChecked={isChecked}
          refusal={write.error}
        />
      </EditForm>
    </Dialog>
  );
}

function textsOf({ url, isAll, types, description, batchMax }: WebhookInput) {
  return {
    [words.url]: url,
    [words.types]: typesText(isAll ? ['*'] : types),
    [words.description]: description,
    [words.batchMax]: batchMax,
  };
}
