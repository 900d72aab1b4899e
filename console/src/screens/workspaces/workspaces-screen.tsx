import type { Workspace, WorkspaceWithKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { session } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE, queryValue, setFilter } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { date } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import type { Column } from '../../ui/table.tsx';
import { workspaceStateWords } from '../../words/account/workspace-state.ts';
import { controlWords } from '../../words/controls.ts';
import { limitWords } from '../../words/shell/limits.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { CreateWorkspaceDialog } from './create-workspace-dialog.tsx';
import { StateBadge } from './workspace-state.tsx';

export function WorkspacesScreen() {
  const state = stateInAddress();
  const list = useList('adminListWorkspaces', { state }, (...args) =>
    store.admin.listWorkspaces(...args),
  );
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WorkspaceWithKey | undefined>(undefined);
  return (
    <>
      <PageHead title={navigationWords.titles.workspaces} lead={words.lead}>
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      </PageHead>
      <FilterBar>
        <SelectField
          label={workspaceStateWords.filter}
          value={state ?? ''}
          options={[['', workspaceStateWords.anyState], ...Object.entries(words.states)]}
          onChange={setFilter('state')}
        />
      </FilterBar>
      <RecordList
        label={words.listLabel}
        list={list}
        lines={8}
        columns={columns}
        keyOf={({ id }) => id}
        empty={() => (
          <NoRows icon="building-2" words={words.noRows} isFiltered path="/workspaces" />
        )}
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

/** Undefined if there is no such state. */
function stateInAddress(): Workspace['state'] | undefined {
  const given = queryValue('state') ?? '';
  return given in words.states ? (given as Workspace['state']) : undefined;
}

const limitsText = ({ limits }: Workspace) => words.limits(limits.perMinute, limits.perDay);

const columns: readonly Column<Workspace>[] = [
  {
    title: words.columns.name,
    cell: (workspace) => (
      <>
        {/* Of an erased one nothing is left but its number. */}
        {workspace.state !== 'erased' && (
          <a data-row href={`${BASE}/workspaces/${workspace.id}`}>
            {workspace.name}
          </a>
        )}
        <span class="second">
          {words.number(workspace.id)}
          {workspace.id === session.value?.workspaceId && ` · ${words.yours}`}
        </span>
        <span class="second only-narrow">
          {controlWords.dotted(limitWords.plans[workspace.plan], limitsText(workspace))}
        </span>
      </>
    ),
  },
  { title: words.columns.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: words.columns.plan,
    isWide: true,
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
