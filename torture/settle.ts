import type { Entry, History } from './history.ts';
import type { State } from './state.ts';

/**
 * Decides what was unknown by what is there after a restart: whatever was to happen has happened by then, and a write
 * that shows itself only later is found by the next check. What has a key is asked again instead.
 */
export function settle({ entries }: History, { pets, orders, movements }: State): void {
  const marks = new Map<string, number>([
    ...pets.map(({ name, id }) => [name, id] as const),
    ...orders.map(({ shipDate, id }) => [shipDate ?? '', id] as const),
    ...movements.map(({ reference, id }) => [reference ?? '', id] as const),
  ]);
  const completed = new Map(orders.map(({ id, complete }) => [id, complete]));
  const hasHappened = ({ kind, orderId, mark }: Entry) => {
    if (kind === 'cancelOrder') return !completed.has(orderId!);
    if (kind === 'completeOrder') return completed.get(orderId!) === true;
    return marks.has(mark);
  };
  for (const entry of entries) {
    if (entry.outcome !== 'unknown' || entry.request.key !== undefined) continue;
    entry.outcome = hasHappened(entry) ? 'ok' : 'failed';
    if (entry.outcome === 'ok' && entry.orderId === undefined) entry.id = marks.get(entry.mark);
  }
}
