import { typeFilter } from '../../domain/event.ts';
import { cursorText, eventId, LATEST, readEventCursor } from '../../domain/event-cursor.ts';
import { streamsOf } from '../../domain/plan.ts';
import { readOperation } from '../operation.ts';
import { Event } from '../schemas/event.ts';
import { type StreamSource, streamOf } from '../success.ts';
import { after, type } from './event-parameters.ts';

const PAGE = 100;

export const streamEvents = readOperation({
  id: 'streamEvents',
  method: 'GET',
  path: '/events/stream',
  tag: 'events',
  scope: 'read',
  metering: 'events',
  summary: 'Follow the feed',
  description:
    'Server-Sent Events: first the events after `after`, then each new one as it happens. Without `after`, it starts with the next event. ' +
    'A client that reconnects with `Last-Event-ID`, as EventSource does, misses nothing. The service sends a comment after 15 seconds without an event. ' +
    'A stream ends after about an hour, when its key expires or is revoked, when its workspace is suspended, and when the node stops. ' +
    'Open at once per workspace and node, waiting polls included: 2 (Free), 5 (Pro), 20 (Business), 100 (Enterprise).',
  query: { after, type },
  requestHeaders: {
    'last-event-id': 'The id of the last event that was received. It replaces `after`.',
  },
  success: streamOf(Event, 'The events, each as `id:` and `data:`, until the stream ends.'),
  errors: ['cursor_unknown', 'events_expired', 'too_many_streams'],
  handle: async ({ caller, query, headers }, _, { events, openReaders, readerAccess }) => {
    const { workspaceId } = caller;
    const last = headers['last-event-id'];
    const field = last === undefined ? 'after' : 'Last-Event-ID';
    const start = readEventCursor(last ?? query.after ?? LATEST, { workspaceId, field });
    const types = query.type && typeFilter(query.type);
    const wanted = { workspaceId, limit: PAGE, types };
    // The cursor is checked before the stream begins, so that a refusal has a status of its own.
    let { cursor } = await events.list({ workspaceId, after: start, limit: 0 });
    return {
      start: cursorText(cursor),
      read: async () => {
        const page = await events.listRecent({ ...wanted, after: cursor });
        ({ cursor } = page);
        return {
          events: page.records.map((record) => ({ id: eventId(record), data: record.text })),
          cursor: cursorText(cursor),
          hasMore: page.hasMore,
        };
      },
      subscribe: (listener) => events.hub.subscribe(workspaceId, listener),
      isAllowed: () => readerAccess.isGood(caller),
      open: (onStop) => {
        const workspaceMax = streamsOf(caller.plan);
        const isAllowed = () => readerAccess.isGood(caller);
        return openReaders.take({ workspaceId, workspaceMax, onStop, isAllowed });
      },
    } satisfies StreamSource;
  },
});
