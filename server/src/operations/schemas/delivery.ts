// What the service sends to webhooks.

import type { Callback } from '../contract.ts';
import { Event, exampleEvent, exampleEvents } from './event.ts';
import { choice, id, instant } from './fields.ts';
import { Type } from './type.ts';

const EventBatch = Type.Object(
  {
    type: choice(['events.batch'], 'Several events in one request.'),
    timestamp: instant('When the last of them was made.'),
    data: Type.Object({ events: Type.Array(Event, { minItems: 1, maxItems: 100 }) }),
  },
  { title: 'EventBatch' },
);

const Ping = Type.Object(
  {
    type: choice(['ping'], 'Asks whether the receiver is there.'),
    timestamp: instant('When it was sent.'),
    data: Type.Object({
      webhookId: id('The webhook.'),
      challenge: Type.Optional(
        Type.String({ description: 'A text that the response must contain.' }),
      ),
    }),
  },
  { title: 'Ping' },
);

const common = {
  url: '{$request.body#/url}',
  headers: {
    'webhook-id':
      'The id of the event, the same on every retry; `<first id>-<last sequence>` for a batch.',
    'webhook-timestamp': 'When this attempt was made, in seconds of Unix time.',
    'webhook-signature':
      '`v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`; one for each secret in force, separated by spaces.',
  },
};
const timestamp = '2026-11-15T09:30:00Z';

export const deliveries: Record<string, Callback> = {
  event: { ...common, summary: 'An event', body: Event, examples: exampleEvents },
  batch: {
    ...common,
    summary: 'Several events, if `batchMax` is above 1',
    body: EventBatch,
    examples: {
      batch: { type: 'events.batch', timestamp, data: { events: [exampleEvent] } },
    },
  },
  ping: {
    ...common,
    summary: 'A ping',
    body: Ping,
    examples: { ping: { type: 'ping', timestamp, data: { webhookId: 1 } } },
  },
};
