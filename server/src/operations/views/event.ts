import type { EventRecord, EventType } from '../../domain/event.ts';
import { eventId } from '../../domain/event-cursor.ts';
import { formatInstant } from '../../lib/instant.ts';
import { banView } from './ban.ts';
import { inventoryItemView, movementView } from './inventory.ts';
import { keyView } from './key.ts';
import { orderView } from './order.ts';
import { petView } from './pet.ts';
import { webhookView } from './webhook.ts';
import { workspaceView } from './workspace.ts';

export interface EventView {
  id: string;
  sequence: number;
  type: EventType;
  timestamp: string;
  keyId?: string;
  data: Record<string, unknown>;
  before?: Record<string, unknown>;
}

/** How the API shows the records in `data` and the fields in `before`; what is not listed is shown as it is stored. */
const views: Record<string, (value: never) => unknown> = {
  ban: banView,
  inventory: inventoryItemView,
  key: keyView,
  movement: movementView,
  newKey: keyView,
  order: orderView,
  pet: petView,
  resetAt: formatInstant,
  webhook: webhookView,
  workspace: workspaceView,
};
const clearable = (at: number | null) => at && formatInstant(at);
const beforeViews = { shipDate: clearable, expiresAt: clearable };

export function eventView(record: EventRecord): EventView {
  const { sequence, type, at, keyId, data, before } = record;
  return {
    id: eventId(record),
    sequence,
    type,
    timestamp: formatInstant(at),
    ...(keyId === undefined ? {} : { keyId }),
    data: shown(data, views),
    ...(before === undefined ? {} : { before: shown(before, beforeViews) }),
  };
}

const texts = new WeakMap<EventRecord, string>();

/** The event as JSON, made once for all readers of the same record. */
export function eventText(record: EventRecord): string {
  let text = texts.get(record);
  if (text === undefined) {
    text = JSON.stringify(eventView(record));
    texts.set(record, text);
  }
  return text;
}

function shown(
  fields: object,
  byName: Readonly<Record<string, (value: never) => unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(fields) as [string, never][];
  return Object.fromEntries(
    entries.map(([name, value]) => {
      return [name, Object.hasOwn(byName, name) ? byName[name]!(value) : value];
    }),
  );
}
