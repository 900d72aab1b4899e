import type { Usage, UsageEntry } from '@petstore/client';

/** The history of earlier days does not change, so it is read once. Yesterday may still get the last counts of its nodes. */
export const RECENT_DAYS = 2;
const HISTORY_DAYS = 30;
const DAY_MS = 86_400_000;

/** The days that were read before, and the latest ones as they are now. */
export function wholeHistory(known: Usage, { windows, history }: Usage): UsageEntry[] {
  const end = Date.parse(windows.find(({ name }) => name === 'day')!.resetAt);
  const dateOf = (days: number) => new Date(end - days * DAY_MS).toISOString().slice(0, 10);
  const [oldest, recent] = [dateOf(HISTORY_DAYS), dateOf(RECENT_DAYS)];
  return [...known.history.filter(({ date }) => date >= oldest && date < recent), ...history];
}
