import type { NewWebhook, Webhook } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useForm } from '../../parts/form/use-form.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { bodyOf, draftOf, errorsOf, WebhookFields } from './webhook-form.tsx';

interface CreateWebhookDialogProps {
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}

export function CreateWebhookDialog({ onDone, onClose }: CreateWebhookDialogProps) {
  const form = useForm({
    operation: 'createWebhook',
    first: { ...draftOf(), after: 'latest' },
    checkedLate: ['url'],
    errorsOf,
    bodyOf: ({ after, ...draft }): NewWebhook => {
      const { description, ...body } = bodyOf(draft);
      return { ...body, after, ...(description !== null && { description }) };
    },
    send: (body, idempotencyKey) => store.webhooks.create(body, { idempotencyKey }),
    onDone: () => say(words.created),
    goOn: onDone,
  });
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <FormView form={form} path="/webhooks" action={words.create} onClose={onClose}>
        <WebhookFields {...form} />
        <SelectField
          label={words.begin}
          value={form.draft.after}
          options={[
            ['latest', words.begins.latest],
            ['0', words.begins['0']],
          ]}
          onChange={(after) => form.set({ after })}
        />
      </FormView>
    </Dialog>
  );
}
