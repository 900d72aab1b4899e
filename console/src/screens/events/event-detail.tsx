import type { PetstoreEvent as Event } from '@petstore/client';
import { NotFoundError, SunsetError } from '../../api/errors.ts';
import { queries, useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { Detail } from '../../parts/detail.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { setQuery } from '../../router.ts';
import { Code } from '../../ui/code.tsx';
import { Copy } from '../../ui/copy.tsx';
import { AsCurl } from '../../ui/curl.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { dateTime } from '../../ui/format.ts';
import { eventWords as words } from '../../words/events.ts';
import { aboutOf, typeName, whoMade } from './about.ts';

export interface EventDetailProps {
  id: string;
  /** The event, if the list has it. */
  known: Event | undefined;
  names: ReadonlyMap<string, string>;
}

/** An event never changes, so one that the list has is not read again. */
export function EventDetail({ id, known, names }: EventDetailProps) {
  const key = ['getEvent', id] as const;
  if (known && queries.get(key) === undefined) queries.set(key, known);
  const event = useQuery<Event>({
    key,
    read: (signal) => store.events.get(id, { signal }),
  });
  const title = event.data === undefined ? id : typeName(event.data.type);
  return (
    <Detail
      title={title}
      note={event.data && aboutOf(event.data)}
      onClose={() => setQuery({ event: undefined })}
    >
      {event.error instanceof NotFoundError || event.error instanceof SunsetError ? (
        <Empty icon="activity" title={words.goneTitle}>
          <p>{words.goneText}</p>
        </Empty>
      ) : (
        <Loaded query={event} rows={10}>
          {(data) => (
            <>
              <Facts
                facts={[
                  [words.columns.when, dateTime(data.timestamp)],
                  [words.columns.who, whoMade(data, names)],
                  [words.type, data.type],
                  [words.id, data.id],
                ]}
              />
              <Code kind="json">{JSON.stringify(data, null, 2)}</Code>
              <div class="actions">
                <Copy text={JSON.stringify(data, null, 2)} />
                <Copy text={data.id} label={words.copyId} />
              </div>
              <p class="hint">{words.replayHint}</p>
              <AsCurl method="GET" path={`/events/${data.id}`} />
            </>
          )}
        </Loaded>
      )}
    </Detail>
  );
}
