import type { Key } from '@petstore/client';
import { useState } from 'preact/hooks';
import type { QueryResult } from '../../api/query.ts';
import { scopeReason, session, signOut } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { sayError } from '../../parts/say-error.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ago, past } from '../../ui/format.ts';
import { say } from '../../ui/say.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { keyWords as words } from '../../words/keys.ts';
import { isEnded } from './key-state.ts';

interface SessionListProps {
  list: QueryResult<{ items: readonly Key[] }>;
  nameOf: (keyId: string | undefined) => string;
  now: number;
}

/** The browsers that are signed in. Sessions that have ended are of no use to anyone and are left out. */
export function SessionList({ list, nameOf, now }: SessionListProps) {
  const [ending, setEnding] = useState<Key | undefined>(undefined);
  const leave = (key: Key) => {
    if (!isThis(key)) return setEnding(key);
    signOut().catch(sayError);
  };
  return (
    <Card title={words.sessions} subtitle={words.sessionsNote} isFlush>
      <Loaded query={list} rows={2}>
        {({ items }) => {
          const sessions = items
            .filter((key) => key.parentId !== undefined && !isEnded(key, now))
            .sort((a, b) => Number(isThis(b)) - Number(isThis(a)) || latest(b) - latest(a));
          if (sessions.length === 0)
            return <Empty icon="circle-user-round" title={words.noSessions} />;
          return (
            <Table
              label={words.sessions}
              columns={columnsOf(nameOf, now, leave)}
              rows={sessions}
              keyOf={({ id }) => id}
            />
          );
        }}
      </Loaded>
      {ending && (
        <SignOutDialog
          ended={ending}
          keyName={nameOf(ending.parentId)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Card>
  );
}

const isThis = ({ id }: Key) => id === session.value?.keyId;
const latest = ({ lastUsedAt, createdAt }: Key) => Date.parse(lastUsedAt ?? createdAt);

function columnsOf(
  nameOf: SessionListProps['nameOf'],
  now: number,
  onSignOut: (key: Key) => void,
): Column<Key>[] {
  return [
    {
      title: words.sessionColumns.session,
      cell: (key) => (
        <>
          <span class="row">
            <span class="strong name">{key.name}</span>
            {isThis(key) && <Badge tone="good">{words.thisSession}</Badge>}
          </span>
          <span class="second mono">{key.id}</span>
          <span class="second">{words.sessionOf(nameOf(key.parentId))}</span>
          <span class="second only-narrow">
            {words.started(past(key.createdAt, now))}
            {key.expiresAt !== undefined && ` · ${words.ends(ago(key.expiresAt, now))}`}
          </span>
        </>
      ),
    },
    {
      title: words.sessionColumns.started,
      isWide: true,
      cell: ({ createdAt }) => past(createdAt, now),
    },
    {
      title: words.sessionColumns.lastUsed,
      isWide: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? words.neverUsed : past(lastUsedAt, now),
    },
    {
      title: words.sessionColumns.ends,
      isWide: true,
      cell: ({ expiresAt }) => (expiresAt === undefined ? words.never : ago(expiresAt, now)),
    },
    {
      title: words.columns.actions,
      isBare: true,
      align: 'end',
      cell: (key) => (
        <Button
          size="small"
          label={words.signOutOf(key.id)}
          offReason={isThis(key) ? undefined : scopeReason('manage')}
          onClick={() => onSignOut(key)}
        >
          {words.signOut}
        </Button>
      ),
    },
  ];
}

interface SignOutDialogProps {
  ended: Key;
  keyName: string;
  onClose: () => void;
}

function SignOutDialog({ ended, keyName, onClose }: SignOutDialogProps) {
  const write = useWrite<string, void>({
    operation: 'revokeKey',
    send: (keyId, idempotencyKey) => store.keys.revoke(keyId, { idempotencyKey }),
    onDone: (_, id) => say(words.signedOut(id)),
    goOn: onClose,
  });
  return (
    <ConfirmDialog
      title={words.signOutTitle}
      action={words.signOut}
      write={write}
      onConfirm={() => write.run(ended.id)}
      onClose={onClose}
      curl={{ method: 'DELETE', path: `/keys/${ended.id}` }}
    >
      <p>{words.signOutText(ended.id, keyName)}</p>
    </ConfirmDialog>
  );
}
