import type { Key } from '@petstore/client';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { past } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { keyWords as words } from '../../words/keys.ts';
import { isUsedToday } from './key-state.ts';

interface RevokeKeyDialogProps {
  apiKey: Key;
  /** Whether this session was opened with it. */
  isOwn: boolean;
  /** How many sessions end with it. */
  sessions: number;
  onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, isOwn, sessions, onClose }: RevokeKeyDialogProps) {
  const now = useNow();
  const { id, name, lastUsedAt } = apiKey;
  const write = useWrite<string, void>({
    operation: 'revokeKey',
    send: (keyId, idempotencyKey) => store.keys.revoke(keyId, { idempotencyKey }),
    onDone: () => say(words.revoked(name)),
    goOn: onClose,
  });
  const isTyped = isUsedToday(apiKey, now);
  return (
    <ConfirmDialog
      title={words.revokeTitle(name)}
      action={words.revokeOf(name)}
      write={write}
      onConfirm={() => write.run(id)}
      onClose={onClose}
      typed={isTyped ? { label: words.revokeTyped(name), text: name } : undefined}
      curl={{ method: 'DELETE', path: `/keys/${id}` }}
    >
      <p>{words.revokeText(name)}</p>
      {sessions > 0 && <p>{words.revokeSessions(sessions)}</p>}
      {isOwn && <p class="strong">{words.revokeOwn}</p>}
      {isTyped && lastUsedAt !== undefined && (
        <p class="notice warn">
          <Icon name="triangle-alert" />
          <span>{words.revokeUsed(past(lastUsedAt, now))}</span>
        </p>
      )}
    </ConfirmDialog>
  );
}
