import type { Workspace } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { dateTime } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { workspaceStateWords as words } from '../../words/account/workspace-state.ts';
import { workspaceWords } from '../../words/workspaces.ts';
import { CloseDialog, SuspendDialog } from './state-dialogs.tsx';

const tones: Record<Workspace['state'], Tone> = {
  active: 'good',
  suspended: 'warn',
  closing: 'warn',
  erased: 'neutral',
};

export function StateBadge({ state }: Pick<Workspace, 'state'>) {
  return <Badge tone={tones[state]}>{workspaceWords.states[state]}</Badge>;
}

/** The state of a workspace, and the ways out of it. */
export function WorkspaceState({ workspace }: { workspace: Workspace }) {
  const { id, state } = workspace;
  const [dialog, setDialog] = useState<'suspend' | 'close' | undefined>(undefined);
  const isClosing = state === 'closing';
  const back = useWrite<number, Workspace>({
    operation: isClosing ? 'adminReopenWorkspace' : 'adminResumeWorkspace',
    send: (workspaceId, idempotencyKey) =>
      isClosing
        ? store.admin.reopenWorkspace(workspaceId, { idempotencyKey })
        : store.admin.resumeWorkspace(workspaceId, { idempotencyKey }),
    onDone: ({ name }) => say(isClosing ? words.reopened(name) : words.resumed(name)),
  });
  const goBack = (text: string) => (
    <Button look="primary" isBusy={back.state !== 'idle'} onClick={() => back.run(id)}>
      {text}
    </Button>
  );
  return (
    <Card title={words.title} aside={<StateBadge state={state} />}>
      <Facts facts={factsOf(workspace)} />
      <WriteState write={back} />
      <div class="actions">
        {isClosing && goBack(words.reopen)}
        {state === 'suspended' && goBack(words.resume)}
        {state === 'active' && (
          <Button icon="pause" onClick={() => setDialog('suspend')}>
            {words.suspend}
          </Button>
        )}
        {!isClosing && (
          <Button look="danger" onClick={() => setDialog('close')}>
            {words.close}
          </Button>
        )}
      </div>
      {dialog === 'suspend' && (
        <SuspendDialog workspace={workspace} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'close' && (
        <CloseDialog workspace={workspace} onClose={() => setDialog(undefined)} />
      )}
    </Card>
  );
}

function factsOf({ stateSince, stateReason, closedBy, eraseAt }: Workspace): Fact[] {
  return [
    [words.facts.since, dateTime(stateSince)],
    ...(closedBy === undefined ? [] : [[words.facts.closedBy, words.closers[closedBy]] as const]),
    ...(stateReason === undefined ? [] : [[words.facts.reason, stateReason] as const]),
    ...(eraseAt === undefined ? [] : [[words.facts.eraseAt, dateTime(eraseAt)] as const]),
  ];
}
