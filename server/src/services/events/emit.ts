import type { Transaction } from '../../datastore/datastore.ts';
import type { EventType, NewEvent } from '../../domain/event.ts';
import type { MovementRecord } from '../../domain/inventory.ts';
import { commandKeyIds } from '../../domain/key.ts';
import { availableOf, fallsLow, type Stock } from '../../domain/stock.ts';
import type { Change } from '../change.ts';

/** The workspace whose feed it is, and the key that made the change; no key for the operator. */
interface Emitter {
  caller: { workspaceId: number; keyId?: string | undefined };
  now: number;
}

/** Appends events of one change to the feed of the workspace. */
export function emit(
  tx: Transaction,
  { caller: { workspaceId, keyId }, now }: Emitter,
  ...events: readonly Pick<NewEvent, 'type' | 'data' | 'before'>[]
): Promise<void> {
  const hasKey = keyId !== undefined && !commandKeyIds.includes(keyId);
  const by = hasKey ? { at: now, keyId } : { at: now };
  return tx.events.append(
    workspaceId,
    events.map((event) => ({ ...event, ...by })),
  );
}

/** A change of stock with its row in the ledger. */
export interface StockStep {
  movement: MovementRecord;
  before: Stock;
  after: Stock;
}

interface Shown {
  /** What the ledger does not hold. */
  data?: object;
  /** The earlier values of the fields that changed. */
  earlier?: object;
}

/** The event of a change of stock and, after it, `inventory.low` where the change crosses the threshold. */
export function stockEvents(
  type: EventType,
  { movement, before, after }: StockStep,
  { caller, now, data, earlier }: Change & Shown,
): NewEvent[] {
  const { keyId, lowStockAt } = caller;
  const held = after.held ? { held: true } : {};
  const common = { at: now, keyId, movementId: movement.id };
  const event: NewEvent = {
    type,
    ...common,
    data: { ...data, ...held },
    ...(earlier ? { before: earlier } : {}),
  };
  const available = { before: availableOf(before), after: availableOf(after) };
  if (lowStockAt === undefined || !fallsLow(lowStockAt, available)) return [event];
  return [event, { type: 'inventory.low', ...common, data: { lowStockAt, ...held } }];
}

/** The earlier values of the fields that differ, null for one that was unset; undefined when none differs. */
export function changedFields<T extends object>(
  before: T,
  after: T,
  names: readonly (keyof T & string)[],
): Record<string, unknown> | undefined {
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, before[name] ?? null]));
}
