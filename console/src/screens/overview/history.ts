import type { Order, Usage } from '@petstore/client';
import type { Day } from '../../charts/day-bars.tsx';
import { dayIn, UTC } from '../chart-zone.ts';

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

/** The last days of a time zone, today last. */
export function lastDays(days: number, now = Date.now(), zone = UTC): string[] {
  const last = Date.parse(dayIn(zone, now));
  return Array.from({ length: days }, (_, index) => today(last - (days - 1 - index) * DAY_MS));
}

/** The orders that were created on each of the last days of a time zone. */
export function createdPerDay(orders: readonly Order[], days: readonly string[], zone: string) {
  const counts = new Map<string, number>();
  for (const { createdAt = 0 } of orders) {
    const date = dayIn(zone, createdAt);
    counts.set(date, (counts.get(date) ?? 0) + 1);
  }
  return days.map((date): Day => ({ date, count: counts.get(date) ?? 0 }));
}

/** The orders that were placed on each of the last UTC days. The history of usage has them, and costs nothing. */
export function placedPerDay({ history }: Usage, days: number, now = Date.now()): Day[] {
  const counts = new Map<string, number>();
  for (const { operationId, date, admitted, failed } of history) {
    if (operationId !== 'placeOrder' && operationId !== 'placeOrders') continue;
    counts.set(date, (counts.get(date) ?? 0) + admitted - failed);
  }
  return lastDays(days, now).map((date) => ({ date, count: counts.get(date) ?? 0 }));
}
