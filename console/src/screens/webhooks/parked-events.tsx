import type { Parked, Webhook } from '@petstore/client';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { number, past } from '../../ui/format.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { useRedelivery } from './redeliver-dialog.tsx';
import { resendReason } from './webhook-state.tsx';

const PAGE = 100;

export function useParked(webhookId: number, isEnabled: boolean) {
  return useQuery({
    key: ['listParked', webhookId],
    read: (signal) => store.webhooks.listParked(webhookId, { limit: PAGE }, { signal }),
    isEnabled,
  });
}

/** Events that the receiver rejected for good. Each can be sent again once the receiver is fixed. */
export function ParkedEvents({ webhook }: { webhook: Webhook }) {
  const { id: webhookId } = webhook;
  const now = useNow();
  const list = useParked(webhookId, true);
  const write = useRedelivery(webhookId);
  const columns: Column<Parked>[] = [
    {
      title: words.parkedColumns.event,
      cell: ({ eventId, sequence, type }) => (
        <>
          {type === undefined ? (
            <span class="strong">{words.oneEvent(sequence)}</span>
          ) : (
            <a data-row href={`${BASE}/events/${encodeURIComponent(eventId)}`}>
              {words.oneEvent(sequence)}
            </a>
          )}
          <span class="second">{type ?? words.gone}</span>
        </>
      ),
    },
    {
      title: words.parkedColumns.status,
      isWide: true,
      cell: ({ status }) => (status === undefined ? words.noAnswer : words.answered(status)),
    },
    {
      title: words.parkedColumns.tries,
      align: 'end',
      isWide: true,
      cell: ({ attempts }) => number(attempts),
    },
    { title: words.parkedColumns.when, align: 'end', cell: ({ parkedAt }) => past(parkedAt, now) },
    {
      title: words.again,
      isBare: true,
      align: 'end',
      cell: ({ eventId, type }) =>
        type !== undefined && (
          <Button
            size="small"
            icon="rotate-ccw"
            label={words.redeliverOf(eventId)}
            offReason={resendReason(webhook)}
            isBusy={write.state !== 'idle'}
            onClick={() => write.run({ eventId })}
          />
        ),
    },
  ];
  return (
    <Card title={words.parkedTitle} subtitle={words.parkedNote} isFlush>
      <Loaded query={list} rows={3}>
        {({ items }) => (
          <Table
            label={words.parkedTitle}
            columns={columns}
            rows={items}
            keyOf={({ eventId }) => eventId}
          />
        )}
      </Loaded>
      <WriteState write={write} />
    </Card>
  );
}
