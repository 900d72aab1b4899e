import type { Webhook } from '@petstore/client';
import { store } from '../../api/store.ts';
import { RotateDialog } from '../../parts/form/rotate-dialog.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';

interface RotateSecretDialogProps {
  webhook: Webhook;
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}

export function RotateSecretDialog({ webhook, onDone, onClose }: RotateSecretDialogProps) {
  const { id, previousSecretUntil } = webhook;
  return (
    <RotateDialog
      title={words.rotateTitle}
      action={words.rotate}
      text={words.rotateText}
      overlap={words.overlap}
      overlaps={words.overlaps}
      operation="rotateWebhookSecret"
      path={`/webhooks/${id}/rotate`}
      send={(body, idempotencyKey) => store.webhooks.rotateSecret(id, body, { idempotencyKey })}
      onDone={() => say(words.rotated)}
      goOn={onDone}
      onClose={onClose}
    >
      {previousSecretUntil !== undefined && (
        <p class="notice warn">{words.previous(dateTime(previousSecretUntil))}</p>
      )}
    </RotateDialog>
  );
}
