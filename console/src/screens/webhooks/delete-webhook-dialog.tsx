import type { Webhook } from '@petstore/client';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';

interface DeleteWebhookDialogProps {
  webhook: Webhook;
  onDone: () => void;
  onClose: () => void;
}

export function DeleteWebhookDialog({ webhook, onDone, onClose }: DeleteWebhookDialogProps) {
  const write = useWrite<number, void>({
    operation: 'deleteWebhook',
    send: (id, idempotencyKey) => store.webhooks.delete(id, { idempotencyKey }),
    onDone: () => say(words.removed),
    goOn: onDone,
  });
  return (
    <ConfirmDialog
      title={words.removeTitle(webhook.url)}
      action={words.removeAction}
      write={write}
      onConfirm={() => write.run(webhook.id)}
      onClose={onClose}
      curl={{ method: 'DELETE', path: `/webhooks/${webhook.id}` }}
    >
      <p>{words.removeText(webhook.behind, webhook.parked)}</p>
    </ConfirmDialog>
  );
}
