import type { SecretRotation, Webhook } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Choice } from '../../ui/fields/field.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/toast.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';
import { webhookChanged } from './webhook-state.tsx';

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

export interface RotateSecretDialogProps {
  webhook: Webhook;
  onDone: (webhook: Webhook) => void;
  onClose: () => void;
}

export function RotateSecretDialog({ webhook, onDone, onClose }: RotateSecretDialogProps) {
  const [overlap, setOverlap] = useState('86400');
  const { id, previousSecretUntil } = webhook;
  const write = useWrite<SecretRotation, Webhook>({
    send: (body, idempotencyKey) => store.webhooks.rotateSecret(id, body, { idempotencyKey }),
    onDone: (rotated) => {
      say(words.rotated);
      webhookChanged();
      onDone(rotated);
    },
  });
  const body = { overlapSeconds: Number(overlap) };
  return (
    <ConfirmDialog
      title={words.rotateTitle}
      action={words.rotate}
      look="primary"
      write={write}
      onConfirm={() => write.run(body)}
      onClose={onClose}
      curl={{ method: 'POST', path: `/webhooks/${id}/rotate`, body }}
    >
      <p>{words.rotateText}</p>
      <div class="stack tight">
        <p class="strong">{words.overlap}</p>
        <Choice
          label={words.overlap}
          value={overlap}
          options={OVERLAPS.map((each) => [each, words.overlaps[each]] as const)}
          onChange={setOverlap}
        />
      </div>
      {previousSecretUntil !== undefined && (
        <p class="notice warn">{words.previous(dateTime(previousSecretUntil))}</p>
      )}
    </ConfirmDialog>
  );
}
