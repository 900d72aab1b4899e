import { type EventType, eventTypes, holes, type NewEvent } from '../../domain/event.ts';
import { commandKeyIds } from '../../domain/key.ts';
import type { DayGrant } from '../../domain/plan.ts';
import { formatInstant } from '../../lib/instant.ts';
import { banView } from './ban.ts';
import { categoryView } from './category.ts';
import { inventoryItemView, movementView } from './inventory.ts';
import { keyView } from './key.ts';
import { orderView } from './order.ts';
import { petView } from './pet.ts';
import { webhookView } from './webhook.ts';
import { grantView, workspaceView } from './workspace.ts';

export interface EventView {
  id: string;
  sequence: number;
  type: EventType;
  timestamp: string;
  keyId?: string;
  data: Record<string, unknown>;
  before?: Record<string, unknown>;
}

type Views = Readonly<Record<string, (value: never, at: number) => unknown>>;

/** How the API shows the records in `data` and the fields in `before`; what is not listed is shown as it is. */
const views: Views = {
  ban: banView,
  category: categoryView,
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
const clearable = (at: number | null) => (at === null ? null : formatInstant(at));
const beforeViews: Views = {
  shipDate: clearable,
  expiresAt: clearable,
  grant: (grant: DayGrant | null) => grant && grantView(grant),
};
const hole: string = holes.inventory;

/**
 * The text of an event: all that clients get but its id and its number. It is made once, when the change is written, and
 * stored. A later version must not build it again, because clients have seen it.
 */
export function eventText({ type, at, keyId, data = {}, before }: NewEvent): string {
  const hasKey = keyId !== undefined && !commandKeyIds.includes(keyId);
  return JSON.stringify({
    type,
    timestamp: formatInstant(at),
    keyId: hasKey ? keyId : undefined,
    data: shown(data, { views, names: eventTypes[type].data, at }),
    before: before && shown(before, { views: beforeViews, names: Object.keys(before), at }),
  });
}

function shown(
  fields: object,
  { views: byName, names, at }: { views: Views; names: readonly string[]; at: number },
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of names) {
    const value = (fields as Record<string, unknown>)[name];
    const view = byName[name];
    const isShown = view === undefined || value === undefined || value === hole;
    result[name] = isShown ? value : view(value as never, at);
  }
  return result;
}
