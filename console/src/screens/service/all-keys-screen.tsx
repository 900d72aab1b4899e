import type { AnyKey } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useWorkspaceNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { SearchBar } from '../../parts/filter-bar.tsx';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE, queryValue } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconAction } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { say } from '../../ui/say.ts';
import { type Column, Name } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { serviceWords as words } from '../../words/account/service.ts';
import { controlWords } from '../../words/controls.ts';
import { keyWords } from '../../words/keys.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { workspaceWords } from '../../words/workspaces.ts';
import { isEnded, stateOf, toneOf } from '../keys/key-state.ts';

const NONE: ReadonlySet<string> = new Set();

/** The id in what was pasted: an id, its beginning, or the hint of a key. */
function idInAddress(): string | undefined {
  return /^[0-9A-Za-z]{1,40}$/.exec((queryValue('id') ?? '').replace(/^psk_/, ''))?.[0];
}

/** Whose key is it? For the operator. */
export function AllKeysScreen() {
  const now = useNow();
  const list = useList('adminListKeys', { id: idInAddress() }, (...args) =>
    store.admin.listKeys(...args),
  );
  const workspaces = useWorkspaceNames();
  const [revoked, setRevoked] = useState<AnyKey | undefined>(undefined);
  return (
    <>
      <PageHead title={navigationWords.titles.allKeys} lead={words.keysLead} />
      <SearchBar name="id" label={words.keyId} placeholder={words.keyId} />
      <RecordList
        label={words.keysLabel}
        list={list}
        isHeld={workspaces.isPending}
        columns={columnsOf(now, workspaces, setRevoked)}
        keyOf={({ id }) => id}
        empty={() => <NoRows icon="key-round" words={words.noKeys} isFiltered path="/all-keys" />}
        onPage={words.keysOnPage}
      />
      {revoked && <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

function columnsOf(
  now: number,
  workspaces: ReadonlyMap<number, string>,
  onRevoke: (key: AnyKey) => void,
): Column<AnyKey>[] {
  return [
    {
      title: keyWords.columns.key,
      cell: (key) => (
        <>
          <Name>{key.name}</Name>
          <span class="second mono">{key.id}</span>
          <span class="second only-narrow">
            {controlWords.dotted(keyWords.states[stateOf(key, now, NONE)], key.scopes.join(', '))}
          </span>
        </>
      ),
    },
    {
      title: navigationWords.titles.workspace,
      cell: ({ workspaceId }) => (
        <>
          <a class="plain target name" href={`${BASE}/workspaces/${workspaceId}`}>
            {workspaces.get(workspaceId) ?? workspaceWords.number(workspaceId)}
          </a>
          {workspaces.has(workspaceId) && (
            <span class="second">{workspaceWords.number(workspaceId)}</span>
          )}
        </>
      ),
    },
    {
      title: keyWords.columns.scopes,
      isWide: true,
      cell: ({ scopes }) => scopes.join(', '),
    },
    {
      title: keyWords.columns.state,
      isWide: true,
      cell: (key) => {
        const state = stateOf(key, now, NONE);
        return <Badge tone={toneOf(state)}>{keyWords.states[state]}</Badge>;
      },
    },
    {
      title: keyWords.columns.actions,
      isBare: true,
      align: 'end',
      cell: (key) =>
        !isEnded(key, now) && (
          <IconAction
            icon="trash-2"
            label={keyWords.revokeOf(key.name)}
            onClick={() => onRevoke(key)}
          />
        ),
    },
  ];
}

function RevokeDialog({ apiKey, onClose }: { apiKey: AnyKey; onClose: () => void }) {
  const { id, name } = apiKey;
  const write = useWrite<string, void>({
    operation: 'adminRevokeKey',
    send: (keyId, idempotencyKey) => store.admin.revokeKey(keyId, { idempotencyKey }),
    onDone: () => say(keyWords.revoked(name)),
    goOn: onClose,
  });
  return (
    <ConfirmDialog
      title={keyWords.revokeTitle(name)}
      action={keyWords.revokeOf(name)}
      write={write}
      onConfirm={() => write.run(id)}
      onClose={onClose}
      typed={{ label: keyWords.revokeTyped(name), text: name }}
      curl={{ method: 'DELETE', path: `/admin/keys/${id}` }}
    >
      <p>{keyWords.revokeText(name)}</p>
    </ConfirmDialog>
  );
}
