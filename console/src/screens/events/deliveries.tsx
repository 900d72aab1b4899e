import type { Attempt, PetstoreEvent as Event, Webhook } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { dateTime, past } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { eventWords as words } from '../../words/events.ts';
import { webhookWords } from '../../words/webhooks.ts';
import { useRedelivery } from '../webhooks/redeliver-dialog.tsx';
import { isOf, outcomeText, resendReason } from '../webhooks/webhook-state.tsx';

/** How many webhooks are shown; the attempts of each cost a request. */
const WEBHOOKS_MAX = 10;
const ATTEMPTS = 100;

/** Whether and when the event was sent to each webhook, with a way to send it again. */
export function Deliveries({ event }: { event: Event }) {
  const query = { limit: WEBHOOKS_MAX };
  const list = useQuery({
    key: ['listWebhooks', query],
    read: (signal) => store.webhooks.list(query, { signal }),
  });
  return (
    <Card title={words.deliveries} subtitle={words.deliveriesNote}>
      <Loaded query={list} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <div class="row">
              <p class="muted">{words.noWebhooks}</p>
              <LinkButton href={`${BASE}/webhooks`} size="small">
                {words.toWebhooks}
              </LinkButton>
            </div>
          ) : (
            items.map((webhook) => <ToWebhook key={webhook.id} webhook={webhook} event={event} />)
          )
        }
      </Loaded>
    </Card>
  );
}

/** The attempts to send the event to one webhook. */
function ToWebhook({ webhook, event }: { webhook: Webhook; event: Event }) {
  const { id, url } = webhook;
  const query = { limit: ATTEMPTS };
  const list = useQuery({
    key: ['listAttempts', id, query],
    read: (signal) => store.webhooks.listAttempts(id, query, { signal }),
  });
  const write = useRedelivery(id);
  const now = useNow();
  const send = (label: string, text: string) => (
    <Button
      size="small"
      icon="rotate-ccw"
      label={label}
      offReason={resendReason(webhook)}
      isBusy={write.state !== 'idle'}
      onClick={() => write.run({ eventId: event.id })}
    >
      {text}
    </Button>
  );
  return (
    <section class="stack tight" aria-label={url}>
      <a class="target" href={`${BASE}/webhooks/${id}`}>
        {url}
      </a>
      <Loaded query={list} rows={1}>
        {({ items }) => {
          const own = items.filter((attempt) => isOf(attempt, event.sequence));
          if (own.length === 0) {
            return (
              <div class="row">
                <span class="muted">{words.notSent}</span>
                <span class="push">{send(words.sendTo(url), words.send)}</span>
              </div>
            );
          }
          return (
            <ul class="rows">
              {own.map((attempt) => (
                <li key={attempt.id}>
                  <AttemptText attempt={attempt} now={now} />
                  <span class="push">{send(words.resendTo(url), webhookWords.again)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <WriteState write={write} />
    </section>
  );
}

function AttemptText({ attempt, now }: { attempt: Attempt; now: number }) {
  const { outcome, status, at } = attempt;
  return (
    <span class="row">
      <Badge tone={outcome === 'delivered' ? 'good' : 'bad'}>
        {webhookWords.outcomes[outcome]}
      </Badge>
      {status !== undefined && <span class="muted">{outcomeText(attempt)}</span>}
      <time class="muted small" dateTime={at} title={dateTime(at)}>
        {past(at, now)}
      </time>
    </span>
  );
}
