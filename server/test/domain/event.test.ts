import { describe, expect, it } from 'vitest';
import {
  checkedContentOf,
  eventOf,
  eventTypeNames,
  eventTypes,
  type StoredEvent,
} from '../../src/domain/event.ts';
import {
  cursorText,
  eventId,
  parseEventCursor,
  readEventCursor,
} from '../../src/domain/event-cursor.ts';
import type { MovementRecord } from '../../src/domain/inventory.ts';

const movement: MovementRecord = {
  id: 7,
  petId: 3,
  cause: 'reserved',
  quantityBefore: 5,
  quantityAfter: 5,
  reservedBefore: 1,
  reservedAfter: 3,
  orderId: 10,
  keyId: 'key',
  at: 1_800_000_000_000,
};
const recordOf = (stored: StoredEvent) => eventOf(stored, 'abc');
const stored: StoredEvent = {
  workspaceId: 1,
  sequence: 42,
  type: 'order.placed',
  at: 1_800_000_000_000,
  keyId: 'key',
  movementId: 7,
  movement,
  text: '{"order":{"shipDate":5}}',
};

describe('the catalogue of events', () => {
  it('gives every type a number of its own', () => {
    const numbers = eventTypeNames.map((name) => eventTypes[name].number);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('puts an order together from the ledger and what is kept beside it', () => {
    expect(recordOf(stored).data).toEqual({
      order: {
        id: 10,
        petId: 3,
        quantity: 2,
        complete: false,
        createdAt: stored.movement!.at,
        shipDate: 5,
      },
      inventory: { petId: 3, stock: { quantity: 5, reserved: 3, held: false } },
    });
    const { order } = recordOf({ ...stored, type: 'order.updated' }).data;
    expect(order).not.toHaveProperty('createdAt');
  });

  it('keeps whether the pet is on hold with its stock', () => {
    const { data } = recordOf({ ...stored, type: 'order.cancelled', text: '{"held":true}' });
    expect(data.inventory).toMatchObject({ stock: { held: true } });
    expect(data).not.toHaveProperty('held');
  });

  it('keeps earlier values apart from data', () => {
    const text = '{"category":{"id":1,"name":"Cats"},"before":{"name":"Dogs"}}';
    const type = 'category.updated';
    const event = recordOf({ ...stored, type, movement: undefined, movementId: null, text });
    expect(event.data).toEqual({ category: { id: 1, name: 'Cats' } });
    expect(event.before).toEqual({ name: 'Dogs' });
  });

  it.each([
    ['number', { sequence: 43 }],
    ['type', { type: 'order.fulfilled' }],
    ['instant', { at: 1_800_000_000_001 }],
    ['ledger row', { movementId: 8 }],
    ['data', { text: '{"order":{"shipDate":6}}' }],
  ] as const)('makes its checksum from the %s', (_, change) => {
    const other = checkedContentOf({ ...stored, ...change } as StoredEvent);
    expect(other).not.toBe(checkedContentOf(stored));
  });
});

describe('the cursor', () => {
  it('is the id of an event and reads back as its place', () => {
    const event = recordOf(stored);
    const id = eventId(event);
    expect(id).toMatch(/^evt_1_42_[0-9a-z]{1,7}$/);
    const cursor = parseEventCursor(id, 1)!;
    expect(cursor).toEqual({ sequence: 42, checksum: event.checksum });
    expect(cursorText(1, cursor)).toBe(id);
  });

  it.each(['0', '1', '42', '9007199254740991'])('may be the bare number %s', (text) => {
    expect(parseEventCursor(text, 1)).toEqual({ sequence: Number(text) });
  });

  it('may be latest', () => {
    expect(readEventCursor('latest', { workspaceId: 1, field: 'after' })).toBe('latest');
  });

  it.each([
    '',
    ' 1',
    '-1',
    '01',
    '1.0',
    '1e3',
    '٣',
    '9007199254740992',
    '99999999999999999999',
    'evt_1_42',
    'evt_1_42_',
    'evt_1_42_ABC',
    'evt_1_042_abc',
    'evt_01_42_abc',
    'evt_1_-42_abc',
    'evt_1_0_abc',
    'evt_1_42_12345678',
    'evt_2_42_abc',
    'evt_1_9007199254740992_abc',
    'EVT_1_42_abc',
    'Latest',
  ])('refuses %j and names the field', (text) => {
    const read = () => readEventCursor(text, { workspaceId: 1, field: 'after' });
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_request', status: 400 }));
    expect(read).toThrow(/^after /);
  });
});
