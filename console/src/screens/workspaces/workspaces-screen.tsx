import type { Workspace, WorkspaceWithKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { RecordList } from '../../parts/record-list.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { date } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import type { Column } from '../../ui/table.tsx';
import { limitWords } from '../../words/shell/limits.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx';

export function WorkspacesScreen() {
  const list = useList('adminListWorkspaces', {}, (...args) => store.admin.listWorkspaces(...args));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WorkspaceWithKey | undefined>(undefined);
  return (
    <>
      <PageHead title={navigationWords.titles.workspaces} lead={words.lead}>
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </PageHead>
      <RecordList
        label={words.listLabel}
        list={list}
        lines={8}
        columns={columns}
        keyOf={({ id }) => id}
        empty={() => null}
        onPage={words.onPage}
      />
      {isCreating && (
        <CreateWorkspaceDialog
          onDone={(done) => {
            setCreating(false);
            setCreated(done);
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {created && (
        <SecretDialog
          title={words.keyTitle(created.workspace.name)}
          subtitle={words.keySubtitle}
          label={words.apiKey}
          secret={created.key.key}
          lost={words.keyLost(created.workspace.id)}
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

const limitsText = ({ limits }: Workspace) => words.limits(limits.perMinute, limits.perDay);

const columns: readonly Column<Workspace>[] = [
  {
    title: words.columns.name,
    cell: (workspace) => (
      <>
        <a data-row href={`${BASE}/workspaces/${workspace.id}`}>
          {workspace.name}
        </a>
        <span class="second">
          {words.number(workspace.id)}
          {workspace.id === session.value?.workspaceId && ` · ${words.yours}`}
        </span>
        <span class="second only-narrow">{limitsText(workspace)}</span>
      </>
    ),
  },
  {
    title: words.columns.plan,
    cell: ({ plan }) => <span class="tag">{limitWords.plans[plan] ?? plan}</span>,
  },
  { title: words.columns.limits, isWide: true, cell: limitsText },
  {
    title: words.columns.created,
    isWide: true,
    align: 'end',
    cell: ({ createdAt }) => <span class="muted">{date(createdAt)}</span>,
  },
];
