import type { Table } from '../../src/datastore/table.ts';
import { tables } from '../../src/datastore/tables.ts';
import { eventField } from '../../src/domain/event.ts';
import type { TestApp } from './app.ts';

/** What counts and lists requests is written behind them, whatever they change. The heads follow from the events. */
const COUNTERS = new Set([
  'limit_counters',
  'usage_days',
  'usage_minutes',
  'request_log',
  'daily_events',
  'event_heads',
]);
const COUNTER_COLUMN = 'last_used_at';
const COUNTER_WORKSPACE = 0;
const counterEvents = ['limit.warning', 'limit.reached'];

/** All rows that requests have changed, as text. Events are numbered first. */
export function tableRows(app: TestApp): Promise<string> {
  return app.transact(async (tx) => {
    for (const workspaceId of await tx.events.workspacesWithArrivals(0, 1_000))
      await tx.events.numberArrivals(workspaceId);
    const lines: string[] = [];
    for (const table of tables.filter(({ name }) => !COUNTERS.has(name))) {
      const counter = table.allColumns.indexOf(COUNTER_COLUMN);
      for (const row of await tx.tables.page(table, undefined, 100_000)) {
        if (isCounter(table, row)) continue;
        const kept = row.filter((_, column) => column !== counter);
        lines.push(`${table.name} ${JSON.stringify(kept)}`);
      }
    }
    return lines.join('\n');
  });
}

function isCounter({ name }: Table, row: readonly unknown[]): boolean {
  if (name === 'idempotency') return row[0] === COUNTER_WORKSPACE;
  return name === 'events' && counterEvents.includes(eventField(row.at(-1) as string, 'type'));
}
