import type { EventRecord } from '../../src/domain/event.ts';
import type { EventView } from '../../src/operations/views/event.ts';

/** An event of the store with what its text says. */
export type ShownEvent = EventRecord & Pick<EventView, 'keyId' | 'data' | 'before'>;

export function shownEvent(record: EventRecord): ShownEvent {
  return { ...record, ...(JSON.parse(record.text) as EventView) };
}
