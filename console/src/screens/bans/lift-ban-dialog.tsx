import type { Ban } from '@petstore/client';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { duration } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';

interface LiftBanDialogProps {
  ban: Ban;
  /** The name of its key; the id of a key whose name is not known. */
  name: string;
  onClose: () => void;
}

export function LiftBanDialog({ ban, name, onClose }: LiftBanDialogProps) {
  const now = useNow(1_000);
  const { keyId, until } = ban;
  const write = useWrite<string, void>({
    operation: 'adminLiftBan',
    send: (id, idempotencyKey) => store.admin.liftBan(id, { idempotencyKey }),
    onDone: () => say(words.lifted(name)),
    goOn: onClose,
  });
  return (
    <ConfirmDialog
      title={words.liftTitle(name)}
      action={words.liftAction}
      look="primary"
      write={write}
      onConfirm={() => write.run(keyId)}
      onClose={onClose}
      curl={{ method: 'DELETE', path: `/admin/bans/${keyId}` }}
    >
      {name !== keyId && <p class="mono small">{keyId}</p>}
      <p>{words.liftText(duration(Date.parse(until) - now))}</p>
      <p>{words.liftNext}</p>
    </ConfirmDialog>
  );
}
