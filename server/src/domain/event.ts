// The catalogue of events. A change appends records of the domain. The store keeps the text that
// `operations/views/event.ts` makes of them, and no reader builds it again: what was sent once never changes.

import type { StockRecord } from './inventory.ts';
import type { OrderRecord } from './order.ts';

interface TypeEntry {
  /** When it is emitted, for the docs. */
  when: string;
  /** The fields of `data`; those in `optional` may be absent. */
  data: readonly string[];
  optional?: readonly string[];
  /** Whether it shows the earlier values of what changed. */
  hasBefore?: true;
}

const STOCK = ['inventory'] as const;
const ORDER = ['order', ...STOCK] as const;
const PET = ['pet', ...STOCK] as const;

const catalogue = {
  'pet.created': { data: PET, when: 'A pet was created; a batch emits one per pet.' },
  'pet.updated': {
    data: PET,
    hasBefore: true,
    when: 'The name, the category, the reference, `lowStockAt`, the hold, the status or the metadata of a pet was changed.',
  },
  'pet.deleted': { data: PET, when: 'A pet was deleted.' },
  'category.created': { data: ['category'], when: 'A category was created.' },
  'category.updated': {
    data: ['category'],
    hasBefore: true,
    when: 'The name or the description of a category was changed.',
  },
  'category.deleted': { data: ['category'], when: 'A category was deleted.' },
  'inventory.adjusted': {
    data: ['inventory', 'movement'],
    when: 'Stock was set, adjusted or corrected.',
  },
  'inventory.low': {
    data: ['inventory', 'lowStockAt'],
    when: '`available` fell from above the `lowStockAt` of the pet, or else of the workspace, to it or below; once per crossing.',
  },
  'order.placed': { data: ORDER, when: 'An order was placed.' },
  'order.updated': {
    data: ORDER,
    hasBefore: true,
    when: 'The quantity, a date or what is noted about an open order was changed, or the customer of any order was removed.',
  },
  'order.fulfilled': { data: ORDER, when: 'An order was completed.' },
  'order.cancelled': { data: ORDER, when: 'An open order was cancelled.' },
  'order.expired': {
    data: ORDER,
    when: 'An open order was cancelled by the service because its `expiresAt` had come.',
  },
  'workspace.updated': {
    data: ['workspace'],
    hasBefore: true,
    when: 'The name, the plan, the limits or `lowStockAt` was changed.',
  },
  'key.created': { data: ['key'], when: 'A key was created.' },
  'key.rotated': {
    data: ['key', 'newKey'],
    when: 'A key was replaced by a new one; `key` is the old one.',
  },
  'key.revoked': { data: ['key'], when: 'A key was revoked.' },
  'ban.started': { data: ['ban'], when: 'A key was banned, until `ban.until`.' },
  'ban.lifted': { data: ['ban'], when: 'A ban was lifted before its end.' },
  'limit.warning': {
    data: ['limit', 'used', 'max', 'resetAt'],
    when: '80 % of the requests of the day are used; once a UTC day.',
  },
  'limit.reached': {
    data: ['limit', 'used', 'max', 'resetAt'],
    when: 'All requests of the day are used; once a UTC day.',
  },
  'deprecation.used': {
    data: ['operationId', 'sunset', 'successor'],
    when: 'A deprecated operation was called; once a UTC day per key and operation.',
  },
  'webhook.failing': {
    data: ['webhook', 'reason'],
    when: 'A webhook had no success for an hour.',
  },
  'webhook.disabled': {
    data: ['webhook', 'reason'],
    when: 'A webhook was switched off.',
  },
  'webhook.parked': {
    data: ['webhook', 'reason', 'eventId'],
    optional: ['reason'],
    when: 'A webhook refused one event for good; it is parked and the others go on.',
  },
} as const satisfies Record<string, TypeEntry>;

export type EventType = keyof typeof catalogue;
export const eventTypes: Readonly<Record<EventType, TypeEntry>> = catalogue;
export const eventTypeNames = Object.keys(catalogue) as EventType[];
const kinds = [...new Set(eventTypeNames.map((name) => `${name.split('.', 1)[0]}.*`))];
/** What a client names types by: all, those of a kind, or one. */
export const eventTypePatterns: readonly string[] = ['*', ...kinds, ...eventTypeNames];

/** Whether one of the patterns names the type. */
export function matchesAny(type: string, patterns: readonly string[]): boolean {
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return patterns.some((pattern) => pattern === '*' || pattern === type || pattern === kind);
}

/** Returns whether a type passes the patterns; undefined if all do. A newer version may write types unknown here. */
export function typeFilter(patterns: readonly string[]): TypeFilter | undefined {
  if (patterns.includes('*')) return undefined;
  return (type) => matchesAny(type, patterns);
}

export type TypeFilter = (type: string) => boolean;

/** Who made a change, and when. */
interface EventOrigin {
  /** Epoch milliseconds. */
  at: number;
  /** The key that made the change; absent for the operator's commands. */
  keyId?: string;
  /** Where the change stands in a trace; absent if it is part of none. */
  traceparent?: string | undefined;
  /** The row of the ledger that the change wrote. Events with the same row get consecutive numbers. */
  movementId?: number;
}

/** What a change appends to the feed. `data` holds records as the domain knows them, not as the API shows them. */
export interface NewEvent extends EventOrigin {
  type: EventType;
  data?: object;
  /** The earlier values of the fields that changed; null for one that was unset. */
  before?: object;
}

/** Stand in `data` for what only a statement knows that has yet to run. No text of a client has a control character. */
export const holes = {
  id: '\u0000id',
  inventory: '\u0000inventory',
  lowStockAt: '\u0000lowStockAt',
} as const;

/** The events of a new order. */
export function orderPlaced(
  order: OrderRecord,
  inventory: StockRecord,
  origin: EventOrigin,
): NewEvent[] {
  const common = { ...origin, data: { order, inventory } };
  const placed: NewEvent = { type: 'order.placed', ...common };
  return order.state === 'complete' ? [placed, { type: 'order.fulfilled', ...common }] : [placed];
}

export function lowStock(
  inventory: StockRecord,
  lowStockAt: number,
  origin: EventOrigin,
): NewEvent {
  return { type: 'inventory.low', ...origin, data: { inventory, lowStockAt } };
}

/** An event of the feed, as it was stored. */
export interface EventRecord {
  sequence: number;
  /** Where the change that made it stands in a trace; null if it is part of none. */
  traceparent: string | null;
  /** The event as JSON, as clients get it in every channel. */
  text: string;
}

/** A webhook that rejects these emits no event: otherwise two webhooks would report each other without end. */
export function isAboutWebhooks({ text }: Pick<EventRecord, 'text'>): boolean {
  return eventField(text, 'type').startsWith('webhook.');
}

const fields = {
  id: /"id"\s*:\s*"([^"]*)"/,
  type: /"type"\s*:\s*"([^"]*)"/,
  timestamp: /"timestamp"\s*:\s*"([^"]*)"/,
};

/**
 * A field of the text of an event. Every version writes these before what a client wrote. A type that only a newer version
 * knows is possible.
 */
export function eventField(text: string, name: keyof typeof fields): string {
  return fields[name].exec(text)?.[1] ?? '';
}
