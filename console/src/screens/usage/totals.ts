// Sums over the history of usage.

import type { Usage, UsageEntry, UsageMinute } from '@petstore/client';
import { today } from '../overview/history.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const MOSTLY = 2;

export interface Counts {
  admitted: number;
  refused: number;
}

export interface Total extends Counts {
  /** The key or the operation. */
  id: string;
  failed: number;
  /** The operations that it called most, the first one most often. */
  mostly: string[];
}

/** The entries of today, or all 30 days. */
export function entriesOf(
  { history }: Usage,
  period: 'today' | 'month',
  now: number,
): UsageEntry[] {
  return period === 'month' ? history : history.filter(({ date }) => date === today(now));
}

/** What each key or each operation sent, the busiest first. */
export function totalsBy(
  entries: readonly UsageEntry[],
  name: 'keyId' | 'operationId',
): readonly Total[] {
  const groups = Map.groupBy(entries, (entry) => entry[name]);
  return [...groups]
    .map(([id, group]) => ({
      id,
      admitted: sum(group, 'admitted'),
      refused: sum(group, 'refused'),
      failed: sum(group, 'failed'),
      mostly: mostCalled(group),
    }))
    .sort((a, b) => b.admitted + b.refused - (a.admitted + a.refused));
}

function mostCalled(entries: readonly UsageEntry[]): string[] {
  const groups = Map.groupBy(entries, ({ operationId }) => operationId);
  return [...groups]
    .map(([id, group]) => [id, sum(group, 'admitted') + sum(group, 'refused')] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOSTLY)
    .map(([id]) => id);
}

function sum(entries: readonly UsageEntry[], name: 'admitted' | 'refused' | 'failed'): number {
  return entries.reduce((total, entry) => total + entry[name], 0);
}

/** Requests of each of the last UTC days, oldest first; days without any are zeros. */
export function perDay(
  { history }: Usage,
  days: number,
  now: number,
): (Counts & { date: string })[] {
  const groups = Map.groupBy(history, ({ date }) => date);
  return Array.from({ length: days }, (_, index) => {
    const date = today(now - (days - 1 - index) * DAY_MS);
    const group = groups.get(date) ?? [];
    return { date, admitted: sum(group, 'admitted'), refused: sum(group, 'refused') };
  });
}

/** Minutes added up to quarters of an hour. */
export function perQuarter(minutes: readonly UsageMinute[]): (Counts & { from: number })[] {
  const groups = Map.groupBy(
    minutes,
    ({ minute }) => Math.floor(Date.parse(minute) / QUARTER_MS) * QUARTER_MS,
  );
  return [...groups].map(([from, group]) => ({
    from,
    admitted: group.reduce((total, { admitted }) => total + admitted, 0),
    refused: group.reduce((total, { refused }) => total + refused, 0),
  }));
}

/** The most requests that one minute had. */
export function busiestOf(minutes: readonly UsageMinute[]): number {
  return Math.max(0, ...minutes.map(({ admitted, refused }) => admitted + refused));
}
