import { describe, expect, it } from 'vitest';
import {
  type EventRecord,
  eventJson,
  eventTypeNames,
  eventTypePatterns,
  typeFilter,
} from '../../src/domain/event.ts';
import {
  cursorText,
  eventId,
  parseEventCursor,
  readEventCursor,
} from '../../src/domain/event-cursor.ts';
import { isWanted } from '../../src/domain/webhook.ts';

const event: EventRecord = {
  workspaceId: 1,
  sequence: 42,
  checksum: 'abc',
  type: 'order.placed',
  at: 1_800_000_000_000,
  text: '{"type":"order.placed","data":{"order":{"id":10}}}',
};

describe('an event', () => {
  it('is its id, its number and the stored text, byte for byte', () => {
    expect(eventJson(event)).toBe(
      '{"id":"evt_1_42_abc","sequence":42,"type":"order.placed","data":{"order":{"id":10}}}',
    );
    const spaced = { ...event, text: '{"type" : "x.y",\t"n":1.50}' };
    expect(eventJson(spaced)).toBe('{"id":"evt_1_42_abc","sequence":42,"type" : "x.y",\t"n":1.50}');
  });

  it('about a webhook is never for that webhook, and is for every other', () => {
    const about = { type: 'webhook.failing', text: '{"data":{"webhook":{"id":7}}}' };
    expect(isWanted({ id: 7, types: ['*'] }, about)).toBe(false);
    expect(isWanted({ id: 8, types: ['*'] }, about)).toBe(true);
    expect(isWanted({ id: 8, types: ['order.*'] }, about)).toBe(false);
  });
});

describe('a filter of types', () => {
  it('passes the types that a pattern names', () => {
    const passed = (...patterns: string[]) => eventTypeNames.filter(typeFilter(patterns)!);
    expect(passed('key.created', 'ban.*')).toEqual(['key.created', 'ban.started', 'ban.lifted']);
    expect(typeFilter(['*', 'key.created'])).toBeUndefined();
    for (const pattern of eventTypePatterns.slice(1)) expect(passed(pattern)).not.toEqual([]);
  });

  it('passes types of a newer version by their kind', () => {
    expect(typeFilter(['order.*'])!('order.shipped')).toBe(true);
    expect(typeFilter(['order.placed'])!('order.shipped')).toBe(false);
  });
});

describe('the cursor', () => {
  it('is the id of an event and reads back as its place', () => {
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
