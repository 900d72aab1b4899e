import type { Webhook } from '@petstore/client';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';

/** The signing secret, shown once. */
export function WebhookSecretDialog(props: { webhook: Webhook; onClose: () => void }) {
  const { webhook, onClose } = props;
  return (
    <SecretDialog
      title={words.secretTitle}
      subtitle={words.secretSubtitle(webhook.url)}
      label={words.secretLabel}
      secret={webhook.secret}
      lost={words.secretLost}
      onClose={onClose}
    >
      <p class="hint">{words.secretUse}</p>
    </SecretDialog>
  );
}
