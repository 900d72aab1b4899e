import { typeFilter } from '../../domain/event.ts';
import { cursorText, readEventCursor } from '../../domain/event-cursor.ts';
import { streamsOf } from '../../domain/plan.ts';
import { readOperation } from '../operation.ts';
import { integer } from '../parameters.ts';
import { Event, exampleEvent } from '../schemas/event.ts';
import { feedOf } from '../success.ts';
import { after, type } from './event-parameters.ts';

const LIMIT_MAX = 100;
const WAIT_MAX_SECONDS = 25;

export const listEvents = readOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  tag: 'events',
  scope: 'read',
  metering: 'events',
  summary: 'Read the feed',
  description:
    'Oldest first, from the oldest kept unless `after` is set. The `next` link is always there: follow it, also when no event matched. ' +
    'One request scans at most 1,000 events. Costs no quota; at most 60 reads and streams a minute per key.',
  query: {
    after,
    type,
    limit: integer('The maximum number of events; 100 if absent.', {
      minimum: 1,
      maximum: LIMIT_MAX,
      default: LIMIT_MAX,
    }),
    wait: integer('How many seconds to wait for an event if there is none.', {
      minimum: 0,
      maximum: WAIT_MAX_SECONDS,
      default: 0,
    }),
  },
  success: feedOf(Event, 'Events, oldest first.'),
  errors: ['cursor_unknown', 'events_expired', 'too_many_streams'],
  example: [exampleEvent],
  cacheableUntil: 'storeCommits',
  // Events are read once by each client. Caching a page of 100 costs 12 % of the request.
  isCacheable: ({ wait }, { events }) => wait === undefined && events.length === 0,
  isWaiting: ({ wait }) => Boolean(wait),
  handle: async ({ caller, query, onClose }, _, { events, openReaders, readerAccess }) => {
    const { workspaceId } = caller;
    const source = { workspaceId, field: 'after' };
    const wanted = {
      workspaceId,
      limit: query.limit ?? LIMIT_MAX,
      after: query.after === undefined ? undefined : readEventCursor(query.after, source),
      types: query.type && typeFilter(query.type),
    };
    const read = async () => {
      if (!query.wait) return events.list(wanted);
      let end = () => {};
      const workspaceMax = streamsOf(caller.plan);
      const isAllowed = () => readerAccess.isGood(caller);
      const onStop = () => end();
      const leave = openReaders.take({ workspaceId, workspaceMax, onStop, isAllowed });
      const stopListening = onClose(() => end());
      const onEnd = (ending: () => void) => {
        end = ending;
      };
      return events.wait(wanted, { ms: query.wait * 1000, onEnd }).finally(() => {
        stopListening();
        leave();
      });
    };
    const { records, cursor } = await read();
    // The key may have ended during the wait.
    const refusal = query.wait ? await readerAccess.findRefusal(caller) : undefined;
    if (refusal) throw refusal;
    return { events: records.map(({ text }) => text), cursor: cursorText(cursor) };
  },
});
