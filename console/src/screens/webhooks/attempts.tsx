import type { Attempt, Redelivery, Webhook } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import type { Write } from '../../api/write.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Pager } from '../../parts/pager.tsx';
import { BASE, queryValue, setFilter } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { number } from '../../ui/format.ts';
import { type Column, PastTime, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { useRedelivery } from './redeliver-dialog.tsx';
import { outcomeText, resendReason } from './webhook-state.tsx';

const PAGE = 20;
const OUTCOMES = [
  'delivered',
  'status',
  'timeout',
  'connection',
  'tls',
  'address_refused',
] as const;

interface AttemptFilter {
  outcome?: (typeof OUTCOMES)[number] | undefined;
  cursor?: string | undefined;
}

/** A page of deliveries, newest first. */
export function useAttempts(webhookId: number, filter: AttemptFilter, isEnabled = true) {
  const query = { limit: PAGE, ...filter };
  return useQuery({
    key: ['listAttempts', webhookId, query],
    read: (signal) => store.webhooks.listAttempts(webhookId, query, { signal }),
    isEnabled,
    keepsPrevious: true,
  });
}

/** What was sent, and what became of it. */
export function Attempts({ webhook }: { webhook: Webhook }) {
  const { id: webhookId } = webhook;
  const now = useNow();
  const write = useRedelivery(webhookId);
  const outcome = OUTCOMES.find((each) => each === queryValue('outcome'));
  const list = useAttempts(webhookId, { outcome, cursor: queryValue('cursor') });
  return (
    <Card
      title={words.attempts}
      subtitle={words.attemptsNote}
      isFlush
      aside={
        <SelectField
          label={words.outcome}
          isBare
          value={outcome ?? 'all'}
          options={Object.entries(words.outcomes)}
          onChange={(value) => setFilter('outcome')(value === 'all' ? undefined : value)}
        />
      }
    >
      <Loaded query={list} rows={6}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty icon="send" title={words.noAttempts}>
              <p>{outcome === undefined ? words.noAttemptsText : words.noSuchAttempts}</p>
            </Empty>
          ) : (
            <>
              <Table
                label={words.attempts}
                columns={columnsOf(now, webhook, write)}
                rows={items}
                keyOf={({ id }) => id}
              />
              <WriteState write={write} />
              <Pager text={words.attemptsOnPage(items.length)} nextCursor={nextCursor} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Whether it carried one event. */
const isOne = ({ firstSequence, lastSequence = firstSequence }: Attempt) =>
  firstSequence !== undefined && firstSequence === lastSequence;

function eventsText({ firstSequence, lastSequence }: Attempt): string {
  if (firstSequence === undefined) return words.pingEvent;
  if (lastSequence === undefined || lastSequence === firstSequence) {
    return words.oneEvent(firstSequence);
  }
  return words.manyEvents(firstSequence, lastSequence);
}

function columnsOf(now: number, webhook: Webhook, write: Write<Redelivery>): Column<Attempt>[] {
  return [
    {
      title: words.attemptColumns.outcome,
      cell: (attempt) => (
        <>
          <span class="row">
            <Badge tone={attempt.outcome === 'delivered' ? 'good' : 'bad'}>
              {words.outcomes[attempt.outcome]}
            </Badge>
            {attempt.status !== undefined && <span class="muted">{outcomeText(attempt)}</span>}
          </span>
          {attempt.excerpt !== undefined && attempt.excerpt !== '' && (
            <details class="curl">
              <summary>{words.excerpt}</summary>
              <Code>{attempt.excerpt}</Code>
            </details>
          )}
        </>
      ),
    },
    {
      title: words.attemptColumns.events,
      cell: (attempt) =>
        isOne(attempt) ? (
          <a class="target" href={`${BASE}/events/${attempt.firstSequence}`}>
            {eventsText(attempt)}
          </a>
        ) : (
          eventsText(attempt)
        ),
    },
    {
      title: words.attemptColumns.attempt,
      align: 'end',
      isWide: true,
      cell: ({ attempt }) => number(attempt),
    },
    {
      title: words.attemptColumns.took,
      align: 'end',
      isWide: true,
      cell: ({ durationMs }) => words.took(durationMs),
    },
    {
      title: words.attemptColumns.when,
      align: 'end',
      cell: ({ at }) => <PastTime at={at} now={now} />,
    },
    {
      title: words.again,
      isBare: true,
      align: 'end',
      // A batch is not sent again as one: each of its events has a page of its own.
      cell: (attempt) =>
        isOne(attempt) && (
          <Button
            size="small"
            icon="rotate-ccw"
            label={words.redeliverOf(String(attempt.firstSequence))}
            offReason={resendReason(webhook)}
            isBusy={write.state !== 'idle'}
            onClick={() => write.run({ eventId: String(attempt.firstSequence) })}
          />
        ),
    },
  ];
}
