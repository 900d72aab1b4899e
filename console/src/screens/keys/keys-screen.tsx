import type { Key } from '@petstore/client';
import { useLayoutEffect, useState } from 'preact/hooks';
import { isPending, useQuery } from '../../api/query.ts';
import { may, scopeReason, session } from '../../api/session.ts';
import { allKeysQuery } from '../../api/shared-queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { queryValue, setQuery } from '../../router.ts';
import { useUsage } from '../../shell/usage.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/fields/field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { useNow } from '../../ui/use-now.ts';
import { keyWords as words } from '../../words/keys.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyList } from './key-list.tsx';
import { isEnded } from './key-state.ts';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { SessionList } from './session-list.tsx';

type Shown = keyof typeof words.shows;
/** What is open over the list. */
type Open =
  | { step: 'create' }
  | { step: 'rotate' | 'revoke'; key: Key }
  | { step: 'shown'; key: Key; subtitle?: string };

export function KeysScreen() {
  const now = useNow();
  const list = useQuery(allKeysQuery);
  const banned = new Set(useUsage().data?.bans.map(({ keyId }) => keyId));
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const isAsked = queryValue('create') === '1' && may('manage');
  useLayoutEffect(() => {
    if (isAsked) setOpen({ step: 'create' });
  }, [isAsked]);
  const close = () => {
    setOpen(undefined);
    setQuery({ create: undefined }, { replace: true });
  };
  const shown = (queryValue('show') ?? 'active') as Shown;
  const all = list.data?.items ?? [];
  const own = all.find(({ id }) => id === session.value!.keyId)?.parentId;
  const nameOf = (id: string | undefined) => all.find((key) => key.id === id)?.name ?? id ?? '';
  return (
    <>
      <PageHead title={navigationWords.titles.keys} lead={words.lead}>
        <Button
          look="primary"
          icon="plus"
          offReason={scopeReason('manage')}
          onClick={() => setOpen({ step: 'create' })}
        >
          {words.create}
        </Button>
      </PageHead>
      <div class="filters">
        <Choice
          label={words.show}
          value={shown}
          options={Object.entries(words.shows)}
          onChange={(value) => setQuery({ show: value === 'active' ? undefined : value })}
        />
      </div>
      <section class="card flush" aria-label={words.listLabel}>
        <Loaded query={list} rows={8}>
          {({ items }) => (
            <KeyList
              keys={items.filter((key) => key.parentId === undefined && fits(key, shown, now))}
              now={now}
              banned={banned}
              ownKeyId={own}
              onRotate={(key) => setOpen({ step: 'rotate', key })}
              onRevoke={(key) => setOpen({ step: 'revoke', key })}
            />
          )}
        </Loaded>
      </section>
      {/* Below rows that are not there yet, the sessions would move. */}
      {!isPending(list) && <SessionList list={list} nameOf={nameOf} now={now} />}
      {open?.step === 'create' && (
        <CreateKeyDialog onDone={(key) => setOpen({ step: 'shown', key })} onClose={close} />
      )}
      {open?.step === 'rotate' && (
        <RotateKeyDialog
          apiKey={open.key}
          isOwn={open.key.id === own}
          onDone={(key) =>
            setOpen({ step: 'shown', key, subtitle: words.rotatedSubtitle(key.name) })
          }
          onClose={close}
        />
      )}
      {open?.step === 'revoke' && (
        <RevokeKeyDialog
          apiKey={open.key}
          isOwn={open.key.id === own}
          sessions={all.filter((key) => key.parentId === open.key.id && !isEnded(key, now)).length}
          onClose={close}
        />
      )}
      {open?.step === 'shown' && (
        <SecretDialog
          title={words.createdTitle(open.key.name)}
          subtitle={open.subtitle}
          label={words.apiKey}
          secret={open.key.key}
          lost={words.lost(open.key.name)}
          onClose={close}
        />
      )}
    </>
  );
}

function fits(key: Key, shown: Shown, now: number): boolean {
  return shown === 'all' || isEnded(key, now) === (shown === 'ended');
}
