import type { Workspace } from '@petstore/client';
import { loadSession, scopeReason, session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { sayError } from '../../parts/say-error.ts';
import { Button } from '../../ui/button.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { standingWords as words } from '../../words/shell/standing.ts';

/** Says on every page that the workspace is closing, until when, and how to reopen it. */
export function ClosingBanner() {
  const { state, workspaceName, eraseAt = 0, closedBy, stateReason } = session.value!;
  const write = useWrite<undefined, Workspace>({
    operation: 'reopenWorkspace',
    send: (_, idempotencyKey) => store.workspace.reopen({ idempotencyKey }),
    onDone: () => {
      void loadSession();
      say(words.reopened);
    },
    onError: sayError,
  });
  if (state !== 'closing') return null;
  return (
    <div class="banner warn" role="status">
      <div class="banner-text">
        <p>
          <strong>{words.closingTitle(workspaceName, dateTime(eraseAt))}</strong>
        </p>
        <p>
          {words.closingText} {closedBy === 'operator' && words.byOperator}
        </p>
        {stateReason !== undefined && <p>{words.closingReason(stateReason)}</p>}
      </div>
      {closedBy !== 'operator' && (
        <div class="actions">
          <Button
            isBusy={write.state !== 'idle'}
            offReason={scopeReason('manage', { whileClosing: true })}
            onClick={() => write.run(undefined)}
          >
            {words.reopen}
          </Button>
        </div>
      )}
    </div>
  );
}
