import type { Entry, History } from '../history.ts';
import type { State } from '../state.ts';

/**
 * Settles unknown outcomes by the store after a restart. A write that shows up only later is a fault, which the next
 * check finds. Operations with an Idempotency-Key are repeated instead.
 */
export function settle({ entries }: History, { pets, orders, movements }: State): void {
  const labels = new Map<string, number>([
    ...pets.map(({ name, id }) => [name, id] as const),
    ...orders.map(({ shipDate, id }) => [shipDate ?? '', id] as const),
    ...movements.map(({ reference, id }) => [reference ?? '', id] as const),
  ]);
  const states = new Map(orders.map(({ id, state }) => [id, state]));
  const hasHappened = ({ kind, orderId, label }: Entry) => {
    if (kind === 'cancelOrder') return states.get(orderId!) === 'cancelled';
    if (kind === 'completeOrder') return states.get(orderId!) === 'complete';
    return labels.has(label);
  };
  for (const entry of entries) {
    if (entry.outcome !== 'unknown' || entry.request.key !== undefined) continue;
    entry.outcome = hasHappened(entry) ? 'ok' : 'failed';
    if (entry.outcome === 'ok' && entry.orderId === undefined) entry.id = labels.get(entry.label);
  }
}
