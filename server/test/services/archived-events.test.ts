import { expect, it } from 'vitest';
import { eventField } from '../../src/domain/event.ts';
import { eventId } from '../../src/domain/event-cursor.ts';
import { eventNoun } from '../../src/services/archive/log-nouns.ts';

it('an imported event is stored with its type where readers look for it, whatever the order in the archive is', () => {
  const line = {
    data: { category: { type: 'cat', timestamp: 'never' } },
    timestamp: '2026-01-01T00:00:00Z',
    type: 'category.created',
    sequence: 7,
    id: 'evt_9_7_0000000',
  };
  const target = {
    workspaceId: 3,
    now: 0,
    id: (_: string, id: number) => id,
    keyId: (id: string) => id,
    nextSequence: () => 1,
    newSecret: () => ({ sealed: '', hint: '' }),
  };
  const text = eventNoun.rowOf!(line, target)!.at(-1) as string;
  expect(JSON.parse(text)).toEqual({ ...line, id: eventId({ text }) });
  expect(eventId({ text })).toMatch(/^evt_3_7_/);
  expect(eventField(text, 'type')).toBe(line.type);
  expect(eventField(text, 'timestamp')).toBe(line.timestamp);
});
