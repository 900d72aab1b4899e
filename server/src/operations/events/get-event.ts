import { notFound } from '../../domain/errors.ts';
import { parseEventCursor } from '../../domain/event-cursor.ts';
import { readOperation } from '../operation.ts';
import { pathText } from '../parameters.ts';
import { Event, exampleEvent } from '../schemas/event.ts';
import { event } from '../success.ts';

export const getEvent = readOperation({
  id: 'getEvent',
  method: 'GET',
  path: '/events/{eventId}',
  tag: 'events',
  scope: 'read',
  metering: 'events',
  summary: 'Read one event',
  description: 'Returns 410 once the event is no longer kept.',
  params: {
    eventId: pathText('ID of the event, or its number.', { pattern: /^\w{1,60}$/, example: '1' }),
  },
  success: event(Event, 'The event.'),
  errors: ['cursor_unknown', 'events_expired'],
  example: exampleEvent,
  handle: async ({ caller, params }, _, { events }) => {
    const cursor = parseEventCursor(params.eventId, caller.workspaceId);
    if (!cursor) throw notFound('event', params.eventId);
    return (await events.get(caller.workspaceId, cursor)).text;
  },
});
