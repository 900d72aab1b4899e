// The wire shape of every event, one schema per type.

import type { TSchema } from 'typebox';
import { type EventType, eventTypeNames, eventTypes } from '../../domain/event.ts';
import { STOCK_MAX } from '../../domain/stock.ts';
import type { EventView } from '../views/event.ts';
import { Ban, exampleBan } from './ban.ts';
import { Category, exampleCategory } from './category.ts';
import { choice, count, INTEGER_MAX, id, instant, PetStatus, text } from './fields.ts';
import { exampleItem, exampleMovement, InventoryItem, Movement } from './inventory.ts';
import { exampleKey, Key } from './key.ts';
import { EarlierMetadata } from './metadata.ts';
import { exampleOrder, Order } from './order.ts';
import { examplePet, Pet } from './pet.ts';
import { Type } from './type.ts';
import { exampleWebhook, Webhook } from './webhook.ts';
import { exampleWorkspace, Limits, Workspace } from './workspace.ts';

interface Field {
  schema: TSchema;
  example: unknown;
}

/** The fields that `data` may have, by name. */
const fields: Record<string, Field> = {
  ban: { schema: Ban, example: exampleBan },
  category: { schema: Category, example: exampleCategory },
  eventId: {
    schema: Type.String({ description: 'ID of the event that was parked.' }),
    example: 'evt_1_42_1x2y3z4',
  },
  inventory: { schema: InventoryItem, example: exampleItem },
  key: { schema: Key, example: exampleKey },
  limit: { schema: choice(['day'] as const, 'Which limit it is.'), example: 'day' },
  lowStockAt: {
    schema: count('The threshold that was crossed.', 0, STOCK_MAX),
    example: 3,
  },
  max: { schema: count('How many requests the limit allows.', 0, INTEGER_MAX), example: 1_000 },
  movement: { schema: Movement, example: exampleMovement },
  newKey: { schema: Key, example: { ...exampleKey, id: '9QwErTyUiOpA', hint: 'psk_9QwErTyU' } },
  operationId: {
    schema: Type.String({ description: 'The operation that was called.' }),
    example: 'getPet',
  },
  order: { schema: Order, example: exampleOrder },
  pet: { schema: Pet, example: examplePet },
  reason: { schema: Type.String({ description: 'Why.' }), example: 'timeout' },
  resetAt: { schema: instant('When the limit resets.'), example: '2026-11-16T00:00:00Z' },
  successor: {
    schema: Type.String({ description: 'What to call instead.' }),
    example: 'GET /pets?id={petId}',
  },
  sunset: {
    schema: Type.String({ format: 'date', description: 'When the operation is switched off.' }),
    example: '2030-12-05',
  },
  used: { schema: count('How many requests are used.', 0, INTEGER_MAX), example: 800 },
  webhook: { schema: Webhook, example: exampleWebhook },
  workspace: { schema: Workspace, example: exampleWorkspace },
};

/** What `before` may hold, by the record that changed. */
const earlier: Record<string, { properties: Record<string, TSchema>; example: object }> = {
  category: {
    properties: {
      name: text('Its name.', 200),
      description: nullable('string', 'Its description.'),
    },
    example: { name: 'Hounds' },
  },
  order: {
    properties: {
      quantity: count('How many units.', 1, STOCK_MAX),
      shipDate: nullable('string', 'Its ship date.'),
      expiresAt: nullable('string', 'When it would have expired.'),
      reference: nullable('string', 'Its reference.'),
      customer: nullable('string', 'Its customer.'),
      note: nullable('string', 'Its note.'),
      metadata: EarlierMetadata,
    },
    example: { quantity: 1 },
  },
  pet: {
    properties: {
      name: text('Its name.', 200),
      categoryId: id('Its category.'),
      status: PetStatus,
      reference: nullable('string', 'Its reference.'),
      lowStockAt: nullable('integer', 'Its own threshold for low stock.'),
      metadata: EarlierMetadata,
    },
    example: { name: 'Max' },
  },
  workspace: {
    properties: {
      name: text('Its name.', 200),
      plan: Type.String({ description: 'Its plan.' }),
      limits: Limits,
      grant: nullable('object', 'What an operator had added for the day.'),
      lowStockAt: nullable('integer', 'Its threshold for low stock.'),
    },
    example: { name: 'Paws' },
  },
};

const timestamp = '2026-11-15T09:30:00Z';
const keyId = '3ZrHIxYjJZft';

/** An example of each type. */
export const exampleEvents = Object.fromEntries(
  eventTypeNames.map((type) => [type, exampleOf(type)]),
) as Record<EventType, EventView>;

export const exampleEvent = exampleEvents['order.placed'];

export const Event = Type.Unsafe<EventView>({
  title: 'Event',
  description:
    'Something that happened in the workspace. New types and new fields may come at any time: ignore what you do not know.',
  oneOf: eventTypeNames.map(eventSchema),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(
      eventTypeNames.map((type) => [type, `#/components/schemas/${titleOf(type)}`]),
    ),
  },
});

function eventSchema(type: EventType): TSchema {
  const { data, optional = [], hasBefore, when } = eventTypes[type];
  const record = data[0]!;
  return Type.Object(
    {
      id: Type.String({
        description:
          'Identifies the event in every channel. It is also the cursor to continue from.',
        pattern: '^evt_[1-9][0-9]*_[1-9][0-9]*_[0-9a-z]+$',
        example: 'evt_1_42_1x2y3z4',
      }),
      sequence: id('Its number in the feed of the workspace, which has no holes.'),
      type: choice([type], 'What happened.'),
      timestamp: instant('When the change was made.'),
      keyId: Type.Optional(
        Type.String({ description: 'The key that made the change; absent for the operator.' }),
      ),
      data: Type.Object(
        Object.fromEntries(
          data.map((name) => {
            const { schema } = fields[name]!;
            return [name, optional.includes(name) ? Type.Optional(schema) : schema];
          }),
        ),
        { additionalProperties: false, description: 'The records as they are after the change.' },
      ),
      ...(hasBefore
        ? {
            before: Type.Partial(Type.Object(earlier[record]!.properties), {
              additionalProperties: false,
              description: 'The earlier values of the fields that changed; null if unset.',
            }),
          }
        : {}),
    },
    {
      title: titleOf(type),
      description: when,
      additionalProperties: false,
      example: exampleOf(type),
    },
  ) as TSchema;
}

function exampleOf(type: EventType): EventView {
  const { data, hasBefore } = eventTypes[type];
  const sequence = 42 + eventTypeNames.indexOf(type);
  return {
    id: `evt_1_${sequence}_1x2y3z4`,
    sequence,
    type,
    timestamp,
    keyId,
    data: Object.fromEntries(data.map((name) => [name, fields[name]!.example])),
    ...(hasBefore ? { before: earlier[data[0]!]!.example as Record<string, unknown> } : {}),
  };
}

/** `pet.created` becomes PetCreatedEvent. */
function titleOf(type: EventType): string {
  const words = type.split('.').map((word) => word[0]!.toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

function nullable(type: 'string' | 'integer' | 'object', description: string): TSchema {
  return Type.Unsafe<unknown>({ type, nullable: true, description }) as TSchema;
}
