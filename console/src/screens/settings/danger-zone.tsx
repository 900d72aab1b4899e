import type { Workspace } from '@petstore/client';
import { useState } from 'preact/hooks';
import { loadSession, scopeReason, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { date } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { useNow } from '../../ui/use-now.ts';
import { settingsWords as words } from '../../words/account/settings.ts';

/** How long a workspace that its owner closed can be reopened. */
const GRACE_MS = 30 * 86_400_000;

export function DangerZone() {
  const [isClosing, setClosing] = useState(false);
  const isClosed = session.value!.state === 'closing';
  return (
    <Card class="danger-zone" title={words.danger} subtitle={words.dangerNote}>
      <div class="actions">
        <Button
          look="danger"
          offReason={isClosed ? words.isClosing : scopeReason('manage')}
          onClick={() => setClosing(true)}
        >
          {words.close}
        </Button>
      </div>
      {isClosing && <CloseDialog onClose={() => setClosing(false)} />}
    </Card>
  );
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const now = useNow();
  const name = session.value!.workspaceName;
  const write = useWrite<{ name: string }, Workspace>({
    operation: 'closeWorkspace',
    send: (body, idempotencyKey) => store.workspace.close(body, { idempotencyKey }),
    onDone: () => {
      void loadSession();
      say(words.closed);
    },
    goOn: onClose,
  });
  return (
    <ConfirmDialog
      title={words.closeTitle(name)}
      action={words.close}
      write={write}
      onConfirm={() => write.run({ name })}
      onClose={onClose}
      typed={{ label: words.closeTyped(name), text: name }}
      curl={{ method: 'POST', path: '/workspace/close', body: { name } }}
    >
      <ul class="effects">
        {words.closeEffects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <p class="strong">{words.eraseOn(date(now + GRACE_MS))}</p>
    </ConfirmDialog>
  );
}
