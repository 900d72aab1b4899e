import type { Webhook, WithResponse } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { bodyOf, draftOf, errorsOf, type WebhookDraft, WebhookFields } from './webhook-form.tsx';
import { typesText } from './webhook-state.tsx';

interface EditWebhookDialogProps {
  opened: WithResponse<Webhook>;
  onClose: () => void;
}

/** Changes what is sent and where to. */
export function EditWebhookDialog({ opened, onClose }: EditWebhookDialogProps) {
  const { id } = opened.data;
  const edit = useEdit({
    operation: 'updateWebhook',
    opened,
    draftOf,
    checkedLate: ['url'],
    errorsOf,
    bodyOf,
    textsOf,
    read: () => store.webhooks.get(id).withResponse(),
    send: (body, options) => store.webhooks.update(id, body, options),
    onDone: () => say(words.saved),
    goOn: onClose,
    // Deliveries change the record, too.
    ignoresRest: true,
  });
  return (
    <Dialog title={words.editTitle} onClose={onClose}>
      <FormView form={edit} method="PATCH" path={`/webhooks/${id}`} onClose={onClose}>
        <WebhookFields {...edit} />
      </FormView>
    </Dialog>
  );
}

function textsOf({ url, isAll, types, description, batchMax }: WebhookDraft) {
  return {
    [words.url]: url,
    [words.types]: typesText(isAll ? ['*'] : types),
    [words.description]: description,
    [words.batchMax]: batchMax,
  };
}
