import { deliveryOutcomes, stateReasons, webhookStates } from '../../domain/delivery.ts';
import { OVERLAP_SECONDS_MAX } from '../../domain/durations.ts';
import { eventTypeNames, eventTypePatterns } from '../../domain/event.ts';
import { CURSOR_LENGTH_MAX } from '../../domain/event-cursor.ts';
import { choice, clearableText, count, INTEGER_MAX, id, instant, object, text } from './fields.ts';
import { Type } from './type.ts';

const types = Type.Unsafe<string[]>({
  type: 'array',
  items: { type: 'string', enum: eventTypePatterns },
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description: 'Which events to send: types, kinds like `order.*`, or `*` for all.',
  example: ['order.*'],
});
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[^\\s\\u0000-\\u001F\\u007F-\\u009F]+$',
  description: 'Where to send events: https, port 443 or above 1023, a public address.',
  example: 'https://shop.example/hooks',
});
const batchMax = count('The maximum number of events in one request.', 1, 100);
const perSecondMax = count('The maximum number of requests per second.', 1, 100);
const after = text(
  'The event to start after: its id or number, `0` for the beginning, or `latest`.',
  CURSOR_LENGTH_MAX,
  1,
);

export const Webhook = object('Webhook', {
  id: id('Unique identifier.'),
  url,
  types,
  description: Type.Optional(text('What it is for.', 2_000)),
  state: choice(
    webhookStates,
    '`unverified`: no ping was answered yet. `enabled` and `failing`: events are sent. `disabled`: none are sent.',
  ),
  stateReason: Type.Optional(choice(stateReasons, 'Why it is disabled.')),
  cursor: Type.String({
    description: 'The number of the last event that was delivered, parked or skipped.',
  }),
  behind: count(
    'How many events of the feed come after the cursor. Of new ones that have no number yet, at most 10,000 are counted.',
    0,
    INTEGER_MAX,
  ),
  batchMax,
  perSecondMax,
  failingSince: Type.Optional(instant('The first failure since the last success.')),
  nextAttemptAt: Type.Optional(instant('When the next attempt is made.')),
  parked: count('How many events are parked.', 0, INTEGER_MAX),
  secretHint: Type.String({ description: 'The first characters of the signing secret.' }),
  previousSecretUntil: Type.Optional(instant('When the previous secret stops signing.')),
  createdAt: instant('When it was created.'),
  secret: Type.Optional(
    Type.String({ description: 'The signing secret: only in the response that creates it.' }),
  ),
});

export const NewWebhook = object('NewWebhook', {
  url,
  types: Type.Optional(types),
  description: Type.Optional(text('What it is for.', 2_000)),
  after: Type.Optional(after),
  batchMax: Type.Optional(batchMax),
  perSecondMax: Type.Optional(perSecondMax),
  secret: Type.Optional(
    text('A signing secret of your own: `whsec_` and base64 of 24 to 64 bytes.', 100),
  ),
});

export const WebhookPatch = object('WebhookPatch', {
  url: Type.Optional(url),
  types: Type.Optional(types),
  description: Type.Optional(clearableText('What it is for; null clears it.', 2_000)),
  batchMax: Type.Optional(batchMax),
  perSecondMax: Type.Optional(perSecondMax),
  state: Type.Optional(choice(['enabled', 'disabled'], 'Switches deliveries on or off.')),
});

export const SecretRotation = object('SecretRotation', {
  overlapSeconds: Type.Optional(
    count('How long the old secret signs as well; a day if absent.', 0, OVERLAP_SECONDS_MAX),
  ),
});

export const Replay = object('Replay', { after });

export const Redelivery = object('Redelivery', {
  eventId: text('ID of the event to send, or its number.', CURSOR_LENGTH_MAX, 1),
});

export const Attempt = object('Attempt', {
  id: id('Unique identifier.'),
  firstSequence: Type.Optional(id('The first event it carried; absent for a ping.')),
  lastSequence: Type.Optional(id('The last event it carried; absent for a ping.')),
  attempt: count('The number of the attempt; 1 for the first.', 1, INTEGER_MAX),
  at: instant('When it was made.'),
  durationMs: count('How long it took, in milliseconds.', 0, INTEGER_MAX),
  outcome: choice(deliveryOutcomes, 'The outcome of the attempt.'),
  status: Type.Optional(count('The status of the response, if there was one.', 100, 999)),
  excerpt: Type.Optional(
    Type.String({ description: 'The beginning of the response to a failed attempt.' }),
  ),
});

export const Parked = object('Parked', {
  eventId: Type.String({ description: 'ID of the event; its number once it is no longer kept.' }),
  sequence: id('Its number.'),
  type: Type.Optional(choice(eventTypeNames, 'Its type; absent once it is no longer kept.')),
  parkedAt: instant('When it was parked.'),
  attempts: count('How often it was tried.', 1, INTEGER_MAX),
  status: Type.Optional(count('The status of the last response.', 100, 999)),
});

export const exampleWebhook = {
  id: 1,
  url: 'https://shop.example/hooks',
  types: ['order.*'],
  state: 'enabled',
  cursor: '41',
  behind: 0,
  batchMax: 1,
  perSecondMax: 20,
  parked: 0,
  secretHint: 'whsec_C2FV',
  createdAt: '2026-11-15T09:00:00Z',
} as const;

export const exampleNewWebhook = {
  ...exampleWebhook,
  state: 'unverified',
  secret: 'whsec_ followed by 44 characters of base64, shown this once',
};

export const exampleAttempt = {
  id: 7,
  firstSequence: 42,
  lastSequence: 42,
  attempt: 1,
  at: '2026-11-15T09:30:00Z',
  durationMs: 35,
  outcome: 'delivered',
  status: 204,
};

export const exampleParked = {
  eventId: 'evt_1_42_1x2y3z4',
  sequence: 42,
  type: 'order.placed',
  parkedAt: '2026-11-15T09:38:00Z',
  attempts: 4,
  status: 400,
};
