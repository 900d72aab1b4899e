import type { NewWebhook, Webhook } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { useUnsaved } from '../../parts/use-unsaved.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';
import { bodyOf, faultsOf, inputOf, WebhookFields } from './webhook-form.tsx';
import { webhookChanged } from './webhook-state.tsx';

export interface CreateWebhookDialogProps {
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}

export function CreateWebhookDialog({ onDone, onClose }: CreateWebhookDialogProps) {
  const [input, setInput] = useState(() => inputOf());
  const [after, setAfter] = useState<string>('latest');
  const [isChecked, setChecked] = useState(false);
  const write = useWrite<NewWebhook, Webhook>({
    send: (body, idempotencyKey) => store.webhooks.create(body, { idempotencyKey }),
    onDone: (webhook) => {
      say(words.created);
      webhookChanged();
      onDone(webhook);
    },
  });
  useUnsaved(input.url !== '');
  const description = input.description.trim();
  const body: NewWebhook = {
    ...bodyOf(input),
    after,
    ...(description !== '' && { description }),
  };
  const submit = () => {
    setChecked(true);
    if (Object.values(faultsOf(input)).every((fault) => fault === undefined)) write.run(body);
  };
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <Form onSubmit={submit}>
        <WebhookFields
          input={input}
          onChange={setInput}
          isChecked={isChecked}
          refusal={write.error}
        />
        <SelectField
          label={words.begin}
          value={after}
          options={[
            ['latest', words.begins.latest],
            ['0', words.begins['0']],
          ]}
          onChange={setAfter}
        />
        <FormFooter
          write={write}
          curl={{ method: 'POST', path: '/webhooks', body }}
          action={words.create}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
