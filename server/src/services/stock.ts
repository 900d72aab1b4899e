import type { Transaction } from '../datastore/datastore.ts';
import type { StockStep } from '../datastore/stock.ts';
import { type EventType, lowStock, type NewEvent } from '../domain/event.ts';
import type { MovementRecord } from '../domain/inventory.ts';
import { crossedThreshold } from '../domain/stock.ts';

/** A change of stock and the events that tell of it. All show the inventory; `inventory.adjusted` also its ledger row. */
export interface Move extends Omit<StockStep, 'keyId'> {
  events: readonly { type: EventType; data?: object; before?: object | undefined }[];
}

/** The workspace, the key that makes the change, which the service itself has not, and the threshold of low stock. */
interface Mover {
  caller: { workspaceId: number; keyId?: string; lowStockAt?: number; traceparent?: string };
  now: number;
}

/**
 * Changes stock, for every cause: the counts of the pets, which the caller has locked, a row of the ledger for each change of
 * a count, and the events. Returns the rows of the ledger; undefined for a move that changes no count.
 */
export async function moveStock(
  tx: Transaction,
  { caller, now }: Mover,
  moves: readonly Move[],
): Promise<(MovementRecord | undefined)[]> {
  const { workspaceId, keyId, lowStockAt, traceparent } = caller;
  const steps = moves.map(({ events: _, ...step }) => ({ ...step, keyId }));
  const movements = await tx.stock.record(workspaceId, steps, now);
  const by = { at: now, traceparent, ...(keyId === undefined ? {} : { keyId }) };
  const events = moves.flatMap((move, at) => eventsOf(move, movements[at], { by, lowStockAt }));
  await tx.events.append(workspaceId, events);
  return movements;
}

/** The events of a move and, after them, `inventory.low` where it crosses the threshold. */
function eventsOf(
  { petId, before, after, events }: Move,
  movement: MovementRecord | undefined,
  {
    by,
    lowStockAt,
  }: {
    by: { at: number; keyId?: string; traceparent: string | undefined };
    lowStockAt: number | undefined;
  },
): NewEvent[] {
  const inventory = { petId, stock: after };
  const origin = movement ? { ...by, movementId: movement.id } : by;
  const own = events.map(({ type, data, before: earlier }): NewEvent => {
    const shown = type === 'inventory.adjusted' ? { inventory, movement } : { ...data, inventory };
    return { type, ...origin, data: shown, ...(earlier ? { before: earlier } : {}) };
  });
  const crossed = crossedThreshold(before, after, lowStockAt);
  return crossed === undefined ? own : [...own, lowStock(inventory, crossed, origin)];
}
