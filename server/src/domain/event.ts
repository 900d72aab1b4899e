// The catalogue of events. The number of a type is what the database keeps of its name, so it never changes.
//
// An event that follows from a row of the ledger names that row and keeps only what the row does not hold;
// `eventOf` puts both together again. All other events keep their records whole.

import type { MovementRecord, StockRecord } from './inventory.ts';
import type { NewOrder } from './order.ts';
import type { PetRecord } from './pet.ts';

interface TypeEntry {
  number: number;
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
  'pet.created': { number: 1, data: PET, when: 'A pet was created; a batch emits one per pet.' },
  'pet.updated': {
    number: 2,
    data: PET,
    hasBefore: true,
    when: 'The name, the category, the hold or the status of a pet was changed.',
  },
  'pet.deleted': { number: 3, data: PET, when: 'A pet was deleted.' },
  'category.created': { number: 4, data: ['category'], when: 'A category was created.' },
  'category.updated': {
    number: 5,
    data: ['category'],
    hasBefore: true,
    when: 'The name or the description of a category was changed.',
  },
  'category.deleted': { number: 6, data: ['category'], when: 'A category was deleted.' },
  'inventory.adjusted': {
    number: 7,
    data: ['inventory', 'movement'],
    when: 'Stock was set, adjusted or corrected.',
  },
  'inventory.low': {
    number: 8,
    data: ['inventory', 'lowStockAt'],
    when: '`available` fell from above the `lowStockAt` of the workspace to it or below; once per crossing.',
  },
  'order.placed': { number: 9, data: ORDER, when: 'An order was placed.' },
  'order.updated': {
    number: 10,
    data: ORDER,
    hasBefore: true,
    when: 'The quantity, the ship date or the expiry of an open order was changed.',
  },
  'order.fulfilled': { number: 11, data: ORDER, when: 'An order was completed.' },
  'order.cancelled': { number: 12, data: ORDER, when: 'An open order was cancelled.' },
  'order.expired': {
    number: 25,
    data: ORDER,
    when: 'An open order was cancelled by the service because its `expiresAt` had come.',
  },
  'workspace.updated': {
    number: 13,
    data: ['workspace'],
    hasBefore: true,
    when: 'The name, the plan, the limits or `lowStockAt` was changed.',
  },
  'key.created': { number: 14, data: ['key'], when: 'A key was created.' },
  'key.rotated': {
    number: 15,
    data: ['key', 'newKey'],
    when: 'A key was replaced by a new one; `key` is the old one.',
  },
  'key.revoked': { number: 16, data: ['key'], when: 'A key was revoked.' },
  'ban.started': { number: 17, data: ['ban'], when: 'A key was banned, until `ban.until`.' },
  'ban.lifted': { number: 18, data: ['ban'], when: 'A ban was lifted before its end.' },
  'limit.warning': {
    number: 19,
    data: ['limit', 'used', 'max', 'resetAt'],
    when: '80 % of the requests of the day are used; once a UTC day.',
  },
  'limit.reached': {
    number: 20,
    data: ['limit', 'used', 'max', 'resetAt'],
    when: 'All requests of the day are used; once a UTC day.',
  },
  'deprecation.used': {
    number: 21,
    data: ['operationId', 'sunset', 'successor'],
    when: 'A deprecated operation was called; once a UTC day per key and operation.',
  },
  'webhook.failing': {
    number: 22,
    data: ['webhook', 'reason'],
    when: 'A webhook had no success for an hour.',
  },
  'webhook.disabled': {
    number: 23,
    data: ['webhook', 'reason'],
    when: 'A webhook was switched off.',
  },
  'webhook.parked': {
    number: 24,
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

const namesByNumber = new Map(eventTypeNames.map((name) => [eventTypes[name].number, name]));

/** The type with this number; undefined for one that only a newer version knows. */
export function findEventType(number: number): EventType | undefined {
  return namesByNumber.get(number);
}

/** Whether one of the patterns names the type. */
export function matchesAny(type: string, patterns: readonly string[]): boolean {
  const kind = `${type.slice(0, type.indexOf('.'))}.*`;
  return patterns.some((pattern) => pattern === '*' || pattern === type || pattern === kind);
}

/** The types that the patterns name; undefined for all. */
export function typesMatching(patterns: readonly string[]): ReadonlySet<EventType> | undefined {
  if (patterns.includes('*')) return undefined;
  return new Set(eventTypeNames.filter((type) => matchesAny(type, patterns)));
}

/** What a change appends to the feed. `data` holds records as the domain knows them, not as the API shows them. */
export interface NewEvent {
  type: EventType;
  /** Epoch milliseconds. */
  at: number;
  /** The key that made the change; absent for the operator's commands. */
  keyId?: string;
  /** The row of the ledger that `data` follows from. */
  movementId?: number;
  data?: object;
  /** The earlier values of the fields that changed; null for one that was unset. */
  before?: object;
}

/** An event with its number in the feed. `data` is complete. */
export interface EventRecord extends NewEvent {
  workspaceId: number;
  sequence: number;
  /** Tells this event from another that gets the same number after a restore. */
  checksum: string;
  data: Readonly<Record<string, unknown>>;
}

/** A webhook that rejects these emits no event: otherwise two webhooks would report each other without end. */
export function isAboutWebhooks({ type }: NewEvent): boolean {
  return type.startsWith('webhook.');
}

/** The text that is kept of `data` and `before`. */
export function storedTextOf({ data, before }: Pick<NewEvent, 'data' | 'before'>): string | null {
  if (!data && !before) return null;
  return JSON.stringify(before ? { ...data, before } : data);
}

/** An event as it is kept, with the row of the ledger that it names. */
export interface StoredEvent {
  workspaceId: number;
  sequence: number;
  type: EventType;
  at: number;
  keyId: string | null;
  movementId: number | null;
  movement: MovementRecord | undefined;
  text: string | null;
}

export function eventOf(stored: StoredEvent, checksum: string): EventRecord {
  const { workspaceId, sequence, type, at, keyId, movementId, movement, text } = stored;
  const key = keyId ?? movement?.keyId;
  const { before, ...rest } = JSON.parse(text ?? '{}') as Record<string, unknown> & {
    before?: object;
  };
  return {
    workspaceId,
    sequence,
    checksum,
    type,
    at,
    data: movement ? ledgerData(type, movement, rest) : recordData(rest),
    ...(key === undefined ? {} : { keyId: key }),
    ...(movementId === null ? {} : { movementId }),
    ...(before === undefined ? {} : { before }),
  };
}

/** What the checksum of an event is made from. */
export function checkedContentOf(stored: Omit<StoredEvent, 'workspaceId' | 'keyId' | 'movement'>) {
  const { sequence, type, at, movementId, text } = stored;
  return `${sequence} ${eventTypes[type].number} ${at} ${movementId ?? ''} ${text ?? ''}`;
}

/** A pet that is kept whole says what its inventory is. */
function recordData(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const pet = data.pet as PetRecord | undefined;
  return pet ? { ...data, inventory: { petId: pet.id, stock: pet.stock } } : data;
}

/** What a row of the ledger does not hold: whether the pet is on hold, and fields of the record it belongs to. */
interface FieldsNotInLedger {
  held?: boolean;
  order?: object;
  pet?: object;
  lowStockAt?: number;
}

/** What the events of a new order keep beside its ledger row; undefined if the row holds all of it. */
export function fieldsNotInLedger(order: NewOrder): FieldsNotInLedger | undefined {
  const { shipDate, expiresAt } = order;
  if (shipDate === undefined && expiresAt === undefined) return undefined;
  return {
    order: {
      ...(shipDate === undefined ? {} : { shipDate }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
  };
}

function ledgerData(
  type: EventType,
  movement: MovementRecord,
  { held, ...fields }: FieldsNotInLedger,
) {
  const { petId, orderId, quantityAfter, reservedAfter } = movement;
  const stock = { quantity: quantityAfter, reserved: reservedAfter, held: held === true };
  const inventory: StockRecord = { petId, stock };
  switch (type) {
    case 'inventory.adjusted':
      return { inventory, movement };
    case 'inventory.low':
      return { inventory, lowStockAt: fields.lowStockAt };
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
      return { pet: { id: petId, ...fields.pet, stock }, inventory };
    default: {
      const complete = movement.cause === 'fulfilled';
      const created = isPlacing(type, movement) ? { createdAt: movement.at } : {};
      const quantity = unitsMoved(movement);
      const order = { id: orderId, petId, quantity, complete, ...created, ...fields.order };
      return { order, inventory };
    }
  }
}

/** Whether the row placed its order: only an order that is placed complete is fulfilled without a reservation. */
function isPlacing(type: EventType, { reservedBefore, reservedAfter }: MovementRecord): boolean {
  return (
    type === 'order.placed' || (type === 'order.fulfilled' && reservedBefore === reservedAfter)
  );
}

/** How many units a row takes from or gives back to what is available. */
function unitsMoved(movement: MovementRecord): number {
  const { quantityBefore, quantityAfter, reservedBefore, reservedAfter } = movement;
  return Math.abs(quantityBefore - reservedBefore - (quantityAfter - reservedAfter));
}
