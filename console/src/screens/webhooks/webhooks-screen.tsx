import type { Webhook } from '@petstore/client';
import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { RecordList } from '../../parts/record-list.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { number } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import type { Column } from '../../ui/table.tsx';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { lagText, StateBadge, typesText, useLiveWebhooks } from './webhook-state.tsx';

/** The URL stands outside the quotes, so that the shell fills it in: no URL of ours would do. */
const exampleText = () =>
  curlText({
    method: 'POST',
    path: '/webhooks',
    body: { url: '$WEBHOOK_URL', types: ['order.*'] },
  }).replace('$WEBHOOK_URL', `'"$WEBHOOK_URL"'`);

export function WebhooksScreen() {
  const list = useList('listWebhooks', {}, (...args) => store.webhooks.list(...args));
  useLiveWebhooks(list.data?.items ?? [], list.refetch);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<Webhook | undefined>(undefined);
  return (
    <>
      <PageHead title={navigationWords.titles.webhooks} lead={words.lead}>
        <Button
          look="primary"
          icon="plus"
          offReason={scopeReason('manage')}
          onClick={() => setCreating(true)}
        >
          {words.create}
        </Button>
      </PageHead>
      <RecordList
        label={words.listLabel}
        list={list}
        lines={4}
        columns={columns}
        keyOf={({ id }) => id}
        empty={() => (
          <Empty icon="webhook" title={words.emptyTitle}>
            <p>{words.emptyText}</p>
            <Code>{exampleText()}</Code>
          </Empty>
        )}
        onPage={words.onPage}
      />
      {isCreating && (
        <CreateWebhookDialog
          onDone={(webhook) => {
            setCreating(false);
            setCreated(webhook);
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {created && <WebhookSecretDialog webhook={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}

/** What the columns say that a phone has no room for. */
function narrowNote({ types, behind, parked }: Webhook): string {
  return controlWords.dotted(
    typesText(types),
    lagText(behind),
    parked > 0 ? words.parked(parked) : '',
  );
}

const columns: readonly Column<Webhook>[] = [
  {
    title: words.columns.url,
    cell: (webhook) => (
      <>
        <a data-row href={`${BASE}/webhooks/${webhook.id}`}>
          {webhook.url}
        </a>
        {webhook.description !== undefined && <span class="second">{webhook.description}</span>}
        <span class="second only-narrow">{narrowNote(webhook)}</span>
        <span class="second only-narrow">
          <StateBadge webhook={webhook} />
        </span>
      </>
    ),
  },
  { title: words.columns.types, isWide: true, cell: ({ types }) => typesText(types) },
  { title: words.columns.state, isWide: true, cell: (webhook) => <StateBadge webhook={webhook} /> },
  {
    title: words.columns.behind,
    isWide: true,
    align: 'end',
    cell: ({ behind }) => <span class={behind === 0 ? 'muted' : 'strong'}>{number(behind)}</span>,
  },
  {
    title: words.columns.parked,
    isWide: true,
    align: 'end',
    cell: ({ parked }) =>
      parked === 0 ? (
        <span class="muted">{number(parked)}</span>
      ) : (
        <strong class="text-bad">{number(parked)}</strong>
      ),
  },
];
