import type { PetstoreEvent as Event } from '@petstore/client';
import { NotFoundError, SunsetError } from '../../api/errors.ts';
import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import type { ScreenProps } from '../../routes.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Code } from '../../ui/code.tsx';
import { Copy } from '../../ui/copy.tsx';
import { AsCurl } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { dateTime, number } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { eventWords as words } from '../../words/events.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { whoOf } from '../movement.tsx';
import { aboutOf, typeName } from './about.ts';
import { Deliveries } from './deliveries.tsx';
import { useNames } from './use-names.ts';

/** One event: what it says, and to which webhooks it was sent. */
export function EventScreen({ id = '' }: ScreenProps) {
  const event = useQuery<Event>({
    key: ['getEvent', id],
    read: (signal) => store.events.get(id, { signal }),
  });
  const names = useNames(event.data && [event.data]);
  const isGone = event.error instanceof NotFoundError || event.error instanceof SunsetError;
  return (
    <div class="stack">
      <BackLink href={`${BASE}/events`}>{words.all}</BackLink>
      <PageHead
        title={event.data ? typeName(event.data.type) : navigationWords.titles.event}
        lead={event.data ? aboutOf(event.data, names) : '\u00a0'}
      />
      {isGone ? (
        <section class="card">
          <Empty icon="activity" title={words.goneTitle}>
            <p>{words.goneText}</p>
          </Empty>
        </section>
      ) : (
        <Loaded query={event} rows={10}>
          {(data) => (
            <>
              <Card title={words.details}>
                <Facts
                  facts={[
                    [words.columns.when, dateTime(data.timestamp)],
                    [words.columns.who, whoOf(data, names.keys)],
                    [words.type, data.type],
                    [words.columns.number, number(data.sequence)],
                    [words.id, data.id],
                  ]}
                />
              </Card>
              <Deliveries event={data} />
              <Card title={words.payload}>
                <Code kind="json">{JSON.stringify(data, null, 2)}</Code>
                <div class="actions">
                  <Copy text={JSON.stringify(data, null, 2)} />
                  <Copy text={data.id} label={words.copyId} />
                </div>
                <AsCurl method="GET" path={`/events/${data.id}`} />
              </Card>
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}
