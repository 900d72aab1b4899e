import type { Ban } from '@petstore/client';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { duration } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';

export function LiftBanDialog({ ban, onClose }: { ban: Ban; onClose: () => void }) {
  const now = useNow(1_000);
  const { keyId, until } = ban;
  const write = useWrite<string, void>({
    operation: 'adminLiftBan',
    send: (id, idempotencyKey) => store.admin.liftBan(id, { idempotencyKey }),
    onDone: () => say(words.lifted(keyId)),
    goOn: onClose,
  });
  return (
    <ConfirmDialog
      title={words.liftTitle(keyId)}
      action={words.liftAction}
      look="primary"
      write={write}
      onConfirm={() => write.run(keyId)}
      onClose={onClose}
      curl={{ method: 'DELETE', path: `/admin/bans/${keyId}` }}
    >
      <p>{words.liftText(duration(Date.parse(until) - now))}</p>
      <p>{words.liftNext}</p>
    </ConfirmDialog>
  );
}
