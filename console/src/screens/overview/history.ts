import type { Usage } from '@petstore/client';
import type { Day } from '../../charts/day-bars.tsx';

const DAY_MS = 86_400_000;

/** The UTC day, as the service counts. */
export function today(now = Date.now()): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The requests of all keys that the limits let through today, as the usage screen counts them. */
export function admittedToday({ history }: Usage, now = Date.now()): number {
  const date = today(now);
  return history.reduce((sum, entry) => (entry.date === date ? sum + entry.admitted : sum), 0);
}

/** The orders that were placed on each of the last days. The history of usage has them, and costs nothing. */
export function placedPerDay({ history }: Usage, days: number, now = Date.now()): Day[] {
  const counts = new Map<string, number>();
  for (const { operationId, date, admitted, failed } of history) {
    if (operationId !== 'placeOrder' && operationId !== 'placeOrders') continue;
    counts.set(date, (counts.get(date) ?? 0) + admitted - failed);
  }
  return Array.from({ length: days }, (_, index) => {
    const date = today(now - (days - 1 - index) * DAY_MS);
    return { date, count: counts.get(date) ?? 0 };
  });
}
