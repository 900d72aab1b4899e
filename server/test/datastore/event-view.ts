import type { EventRecord } from '../../src/domain/event.ts';
import type { EventView } from '../../src/operations/views/event.ts';

/** An event of the store with what its text says. */
export type ShownEvent = EventRecord &
  Pick<EventView, 'type' | 'keyId' | 'data' | 'before'> & { at: number };

export function shownEvent(record: EventRecord): ShownEvent {
  const view = JSON.parse(record.text) as EventView;
  return { ...record, ...view, at: Date.parse(view.timestamp) };
}
