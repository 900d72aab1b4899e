import type { Webhook, WithResponse } from '@petstore/client';
import { NotFoundError } from '../../api/errors.ts';
import { isPending, queries, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import type { ScreenProps } from '../../routes.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ago, dateTime, number, past } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { Attempts } from './attempts.tsx';
import { ParkedEvents, useParked } from './parked-events.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { lagText, StateBadge, typesText } from './webhook-state.tsx';

export function WebhookScreen({ id }: ScreenProps) {
  const webhookId = Number(id);
  const webhook = useQuery<WithResponse<Webhook>>({
    key: ['getWebhook', webhookId],
    read: (signal) => store.webhooks.get(webhookId, { signal }).withResponse(),
  });
  const hasParked = webhook.data !== undefined && webhook.data.data.parked > 0;
  const parked = useParked(webhookId, hasParked);
  const isGone = webhook.error instanceof NotFoundError;
  return (
    <>
      <BackLink href={`${BASE}/webhooks`}>{words.back}</BackLink>
      <PageHead title={navigationWords.titles.webhook} lead={webhook.data?.data.url ?? '\u00a0'}>
        <Button icon="refresh-cw" onClick={() => queries.refetch()}>
          {controlWords.refresh}
        </Button>
      </PageHead>
      {isGone ? (
        <Empty icon="webhook" title={words.goneTitle}>
          <p>{words.goneText}</p>
        </Empty>
      ) : (
        <Loaded query={webhook} rows={8}>
          {(opened) => (
            <>
              <Standing opened={opened} />
              {hasParked && <ParkedEvents webhookId={webhookId} />}
              {/* Below rows that are not there yet, the attempts would move. */}
              <div hidden={hasParked && isPending(parked)}>
                <Attempts webhookId={webhookId} />
              </div>
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

/** How it is doing, and what can be done about it. */
function Standing({ opened }: { opened: WithResponse<Webhook> }) {
  const now = useNow();
  const { data: webhook } = opened;
  const { state, stateReason, description } = webhook;
  return (
    <section class="card" aria-label={words.states[state]}>
      <div class="row">
        <StateBadge state={state} />
        <span class="muted">
          {state === 'disabled' && stateReason !== undefined
            ? `${words.reasons[stateReason] ?? stateReason} ${words.stateNotes.disabled}`
            : words.stateNotes[state]}
        </span>
      </div>
      {description !== undefined && <p>{description}</p>}
      <Facts facts={factsOf(webhook, now)} />
      <WebhookActions opened={opened} />
    </section>
  );
}

function factsOf(webhook: Webhook, now: number): Fact[] {
  const { behind, cursor, types, batchMax, perSecondMax, secretHint, createdAt } = webhook;
  const { failingSince, nextAttemptAt, previousSecretUntil } = webhook;
  return [
    [
      words.facts.behind,
      <strong key="behind" class={behind === 0 ? 'text-good' : 'text-warn'}>
        {lagText(behind)}
      </strong>,
    ],
    [words.facts.cursor, cursor],
    [words.facts.types, typesText(types)],
    [words.facts.batch, batchMax === 1 ? number(1) : words.upTo(batchMax)],
    [words.facts.rate, words.upTo(perSecondMax)],
    [
      words.facts.secret,
      <span key="secret" class="mono">
        {secretHint}…
      </span>,
    ],
    [words.facts.created, dateTime(createdAt)],
    ...(failingSince === undefined
      ? []
      : [[words.facts.failingSince, past(failingSince, now)] as const]),
    ...(nextAttemptAt === undefined ? [] : [[words.facts.next, ago(nextAttemptAt, now)] as const]),
    ...(previousSecretUntil === undefined
      ? []
      : [[words.facts.previousSecret, dateTime(previousSecretUntil)] as const]),
  ];
}
