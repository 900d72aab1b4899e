import type { Ban } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { allKeysQuery, bansQuery, useWorkspaceNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { RecordList } from '../../parts/record-list.tsx';
import { BASE, queryValue } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { duration, past } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import type { Column } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { workspaceWords as words } from '../../words/workspaces.ts';
import { LiftBanDialog } from './lift-ban-dialog.tsx';

/** The first page is the one by which the navigation counts the bans. */
function pageQuery(cursor: string | undefined): typeof bansQuery {
  if (cursor === undefined) return bansQuery;
  const read = (signal: AbortSignal) => store.admin.listBans({ cursor }, { signal });
  return { key: ['adminListBans', { cursor }], read };
}

export function BansScreen() {
  const now = useNow(1_000);
  const list = useQuery(pageQuery(queryValue('cursor')));
  const running = (bans: readonly Ban[]) => bans.filter(({ until }) => Date.parse(until) > now);
  const names = useBanNames();
  const [lifted, setLifted] = useState<Ban | undefined>(undefined);
  return (
    <>
      <PageHead title={navigationWords.titles.bans} lead={words.bansLead} />
      <RecordList
        label={words.bansLabel}
        list={
          list.data ? { ...list, data: { ...list.data, items: running(list.data.items) } } : list
        }
        lines={4}
        columns={columnsOf(now, names, setLifted)}
        keyOf={({ keyId }) => keyId}
        empty={() => (
          <Empty icon="circle-check" title={words.noBansTitle}>
            <p>{words.noBansText}</p>
          </Empty>
        )}
        onPage={words.bansOnPage}
      />
      {lifted && (
        <LiftBanDialog
          ban={lifted}
          name={names.key(lifted.keyId) ?? lifted.keyId}
          onClose={() => setLifted(undefined)}
        />
      )}
    </>
  );
}

/** The names of keys of this workspace, and of workspaces. Those of other keys are not known here. */
function useBanNames() {
  const keys = useQuery(allKeysQuery).data?.items;
  const workspaces = useWorkspaceNames();
  return {
    key: (id: string) => keys?.find((key) => key.id === id)?.name,
    workspace: (id: number) => workspaces.get(id),
  };
}

function columnsOf(
  now: number,
  names: ReturnType<typeof useBanNames>,
  onLift: (ban: Ban) => void,
): Column<Ban>[] {
  return [
    {
      title: words.banColumns.key,
      cell: ({ keyId, workspaceId, strikes, since }) => (
        <>
          {names.key(keyId) !== undefined && <span class="strong name">{names.key(keyId)}</span>}
          <span class={names.key(keyId) === undefined ? 'mono strong' : 'second mono'}>
            {keyId}
          </span>
          <span class="second">
            <a href={`${BASE}/workspaces/${workspaceId}`}>
              {words.named(workspaceId, names.workspace(workspaceId))}
            </a>
          </span>
          <span class="second only-narrow">
            {`${words.banColumns.strikes} ${words.strikes(strikes)} · ${past(since, now)}`}
          </span>
        </>
      ),
    },
    {
      title: words.banColumns.strikes,
      isWide: true,
      cell: ({ strikes }) => words.strikes(strikes),
    },
    { title: words.banColumns.since, isWide: true, cell: ({ since }) => past(since, now) },
    {
      title: words.banColumns.left,
      align: 'end',
      cell: ({ until }) => (
        <strong class="number text-bad">{duration(Date.parse(until) - now)}</strong>
      ),
    },
    {
      title: words.lift,
      isBare: true,
      align: 'end',
      cell: (ban) => (
        <Button
          size="small"
          label={words.liftOf(names.key(ban.keyId) ?? ban.keyId)}
          onClick={() => onLift(ban)}
        >
          {words.lift}
        </Button>
      ),
    },
  ];
}
