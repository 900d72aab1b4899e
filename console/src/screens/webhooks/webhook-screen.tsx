import type { Attempt, Webhook, WithResponse } from '@petstore/client';
import { useEffect, useRef } from 'preact/hooks';
import { NotFoundError } from '../../api/errors.ts';
import { invalidate, isPending, queries, useQuery } from '../../api/query.ts';
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
import { Attempts, useAttempts } from './attempts.tsx';
import { ParkedEvents, useParked } from './parked-events.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import {
  lagText,
  outcomeText,
  StateBadge,
  standingOf,
  typesText,
  useLiveWebhooks,
} from './webhook-state.tsx';

export function WebhookScreen({ id }: ScreenProps) {
  const webhookId = Number(id);
  const webhook = useQuery<WithResponse<Webhook>>({
    key: ['getWebhook', webhookId],
    read: (signal) => store.webhooks.get(webhookId, { signal }).withResponse(),
  });
  useLiveWebhooks(webhook.data ? [webhook.data.data] : [], webhook.refetch);
  useFollowing(webhook.data?.data);
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
              {hasParked && <ParkedEvents webhook={opened.data} />}
              {/* Below rows that are not there yet, the attempts would move. */}
              <div hidden={hasParked && isPending(parked)}>
                <Attempts webhook={opened.data} />
              </div>
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

/** Reads the deliveries again when the record shows that there were some. */
function useFollowing(webhook: Webhook | undefined): void {
  const mark =
    webhook && [webhook.cursor, webhook.parked, webhook.state, webhook.nextAttemptAt].join();
  const seen = useRef(mark);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== mark) {
      invalidate('listAttempts');
      invalidate('listParked');
    }
    seen.current = mark;
  }, [mark]);
}

/** How it is doing, and what can be done about it. */
function Standing({ opened }: { opened: WithResponse<Webhook> }) {
  const { data: webhook } = opened;
  const { stateReason, description } = webhook;
  const standing = standingOf(webhook);
  const isRetrying = standing === 'retrying';
  const now = useNow(isRetrying ? 1_000 : undefined);
  const { data: attempts } = useAttempts(webhook.id, {}, isRetrying);
  const reason = standing === 'disabled' ? (words.reasons[stateReason ?? ''] ?? '') : '';
  return (
    <section class="card" aria-label={words.states[standing]}>
      <div class="row">
        <StateBadge webhook={webhook} />
        <span class="muted" role="status">
          {reason} {words.stateNotes[standing]}
        </span>
      </div>
      {description !== undefined && <p class="name">{description}</p>}
      <Facts
        facts={[
          ...(isRetrying ? retryFacts(webhook, attempts?.items[0], now) : []),
          ...factsOf(webhook),
        ]}
      />
      <WebhookActions opened={opened} />
    </section>
  );
}

/** Since when deliveries fail, what the URL answered last, and when the next try is. */
function retryFacts(webhook: Webhook, last: Attempt | undefined, now: number): Fact[] {
  const { failingSince, nextAttemptAt } = webhook;
  const wait = nextAttemptAt === undefined ? 0 : Date.parse(nextAttemptAt) - now;
  return [
    ...(failingSince === undefined
      ? []
      : [
          [
            words.facts.failingSince,
            `${dateTime(failingSince)} (${past(failingSince, now)})`,
          ] as const,
        ]),
    [words.facts.next, wait > 0 ? ago(nextAttemptAt!, now) : words.nextNow],
    [words.facts.lastAnswer, last ? outcomeText(last) : controlWords.none],
  ];
}

function factsOf(webhook: Webhook): Fact[] {
  const { behind, cursor, types, batchMax, perSecondMax, secretHint, createdAt } = webhook;
  const { previousSecretUntil } = webhook;
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
    ...(previousSecretUntil === undefined
      ? []
      : [[words.facts.previousSecret, dateTime(previousSecretUntil)] as const]),
  ];
}
