import type { Key } from '@petstore/client';
import { scopeReason } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconAction } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { date, dateTime, past } from '../../ui/format.ts';
import { type Column, PastTime, Table } from '../../ui/table.tsx';
import { controlWords } from '../../words/controls.ts';
import { keyWords as words } from '../../words/keys.ts';
import { endOf, endText, isEnded, stateOf, toneOf } from './key-state.ts';

interface KeyListProps {
  keys: readonly Key[];
  now: number;
  banned: ReadonlySet<string>;
  /** The key that opened this session. */
  ownKeyId: string | undefined;
  onRotate: (key: Key) => void;
  onRevoke: (key: Key) => void;
}

export function KeyList({ keys, now, banned, ownKeyId, onRotate, onRevoke }: KeyListProps) {
  if (keys.length === 0) {
    return (
      <Empty icon="key-round" title={words.noneTitle}>
        <p>{words.noneText}</p>
      </Empty>
    );
  }
  const badge = (key: Key) => {
    const state = stateOf(key, now, banned);
    return <Badge tone={toneOf(state)}>{words.states[state]}</Badge>;
  };
  const columns: Column<Key>[] = [
    {
      title: words.columns.key,
      cell: (key) => (
        <>
          <Name apiKey={key} now={now} isOwn={key.id === ownKeyId} />
          <span class="second only-narrow">{badge(key)}</span>
        </>
      ),
    },
    {
      title: words.columns.scopes,
      isWide: true,
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      title: words.columns.lastUsed,
      isWide: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === undefined ? (
          <span class="muted">{words.neverUsed}</span>
        ) : (
          <PastTime at={lastUsedAt} now={now} />
        ),
    },
    {
      title: words.columns.ends,
      isWide: true,
      cell: (key) => {
        const end = endOf(key);
        if (end === undefined) return <span class="muted">{words.never}</span>;
        return (
          <time dateTime={end} title={dateTime(end)}>
            {/* The clock of the service may be ahead: what is revoked has ended. */}
            {endText(end, key.revokedAt === undefined ? now : Number.POSITIVE_INFINITY)}
          </time>
        );
      },
    },
    { title: words.columns.state, isWide: true, cell: badge },
    {
      title: words.columns.actions,
      isBare: true,
      align: 'end',
      cell: (key) =>
        !isEnded(key, now) && (
          <span class="row-actions">
            <IconAction
              icon="refresh-cw"
              label={words.rotateOf(key.name)}
              offReason={scopeReason('manage')}
              onClick={() => onRotate(key)}
            />
            <IconAction
              icon="trash-2"
              label={words.revokeOf(key.name)}
              offReason={scopeReason('manage')}
              onClick={() => onRevoke(key)}
            />
          </span>
        ),
    },
  ];
  return <Table label={words.listLabel} columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function Scopes({ scopes }: { scopes: Key['scopes'] }) {
  return (
    <span class="tags">
      {scopes.map((scope) => (
        <span key={scope} class="tag" title={words.scopes[scope]}>
          {scope}
        </span>
      ))}
    </span>
  );
}

/** On a phone it also says what the columns would. */
function Name({ apiKey, now, isOwn }: { apiKey: Key; now: number; isOwn: boolean }) {
  const { name, hint, scopes, lastUsedAt } = apiKey;
  const end = endOf(apiKey);
  const endNote =
    end === undefined
      ? words.endsNever
      : isEnded(apiKey, now)
        ? words.ended(date(end))
        : words.ends(endText(end, now));
  const used = lastUsedAt === undefined ? words.notUsed : words.used(past(lastUsedAt, now));
  return (
    <>
      <span class="strong name">{name}</span>
      <span class="second">
        <span class="mono">{hint}…</span>
        {isOwn && ` · ${words.thisSessions}`}
      </span>
      <span class="second only-narrow">
        {controlWords.dotted(scopes.join(', '), used, endNote)}
      </span>
    </>
  );
}
