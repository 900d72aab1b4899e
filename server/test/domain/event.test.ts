import { describe, expect, it } from 'vitest';
import {
  type EventRecord,
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
  sequence: 42,
  traceparent: null,
  text: '{"id":"evt_1_42_1x2y3z4","sequence":42,"type":"order.placed","data":{"order":{"id":10}}}',
};

describe('an event', () => {
  it('has its id at the beginning of its text', () => {
    expect(eventId(event)).toBe(JSON.parse(event.text).id);
  });

  it('about a webhook is never for that webhook, and is for every other', () => {
    const about = { text: '{"type":"webhook.failing","data":{"webhook":{"id":7}}}' };
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
    const cursor = parseEventCursor(id, 1)!;
    expect(cursor).toEqual({ sequence: 42, id });
    expect(cursorText(cursor)).toBe(id);
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
