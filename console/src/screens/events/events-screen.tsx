import type { PetstoreEvent as Event } from '@petstore/client';
import { isLive } from '../../api/live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE, hrefWith, queryValue } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { number } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { type Column, PastTime, Table } from '../../ui/table.tsx';
import { useNow } from '../../ui/use-now.ts';
import { controlWords } from '../../words/controls.ts';
import { eventWords as words } from '../../words/events.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { whoOf } from '../movement.tsx';
import { aboutOf, type Names, typeName } from './about.ts';
import { EventPager } from './event-pager.tsx';
import type { Feed } from './feed.ts';
import { isEventType, TypeFilter } from './type-filter.tsx';
import { useFeed } from './use-feed.ts';
import { useNames } from './use-names.ts';

/** The feed as it happens. It is free; the names of pets and keys cost a request each. */
export function EventsScreen() {
  const now = useNow(10_000);
  const given = queryValue('type');
  const type = isEventType(given) ? given : undefined;
  const after = /^\d{1,15}$/.test(queryValue('after') ?? '')
    ? Number(queryValue('after'))
    : undefined;
  const feed = useFeed(type, after);
  const names = useNames(feed.data?.events);
  return (
    <div class="stack">
      <PageHead title={navigationWords.titles.events} lead={words.lead}>
        {after === undefined ? (
          <LiveBadge />
        ) : (
          <LinkButton href={hrefWith({ after: undefined })}>{words.newest}</LinkButton>
        )}
      </PageHead>
      <TypeFilter type={type} />
      <section class="card flush" aria-label={words.listLabel}>
        <Loaded query={feed} rows={12}>
          {(data) => (
            <>
              {data.events.length === 0 ? (
                <NoEvents feed={data} isFiltered={type !== undefined} />
              ) : (
                <Table
                  label={words.listLabel}
                  columns={columnsOf(names, now)}
                  rows={data.events}
                  keyOf={({ id }) => id}
                />
              )}
              <EventPager feed={data} type={type} isNewest={after === undefined} />
            </>
          )}
        </Loaded>
      </section>
    </div>
  );
}

/** Without a stream nothing appears by itself, and the reader must not wait for it. */
function LiveBadge() {
  return isLive.value ? (
    <span class="row" title={words.liveNote}>
      <Badge tone="good">{words.live}</Badge>
    </span>
  ) : (
    <Badge tone="warn">{words.notLive}</Badge>
  );
}

function columnsOf(names: Names, now: number): Column<Event>[] {
  return [
    {
      title: words.columns.event,
      cell: (event) => (
        <>
          <a data-row href={`${BASE}/events/${event.id}`}>
            {typeName(event.type)}
          </a>
          <span class="second">{aboutOf(event, names)}</span>
        </>
      ),
    },
    {
      title: words.columns.who,
      isWide: true,
      cell: (event) => <span class="muted name">{whoOf(event, names.keys)}</span>,
    },
    {
      title: words.columns.number,
      align: 'end',
      isWide: true,
      cell: ({ sequence }) => <span class="muted">{number(sequence)}</span>,
    },
    {
      title: words.columns.when,
      align: 'end',
      cell: ({ timestamp }) => <PastTime at={timestamp} now={now} />,
    },
  ];
}

function NoEvents({ feed, isFiltered }: { feed: Feed; isFiltered: boolean }) {
  if (!isFiltered && feed.to > 0) return <Empty icon="activity" title={words.noNewerTitle} />;
  if (isFiltered) {
    return (
      <Empty icon="activity" title={words.noMatchTitle}>
        <p>
          {words.noMatchText(feed.from + 1, feed.to)}{' '}
          <a href={`${BASE}/events`}>{controlWords.clearFilters}</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty icon="activity" title={words.emptyTitle}>
      <p>{words.emptyText}</p>
      <Code>{curlText({ method: 'POST', path: '/categories', body: { name: 'Dogs' } })}</Code>
    </Empty>
  );
}
