import { expect } from 'vitest';
import { onDatabase } from '../../support/servers.ts';

const CONNECTIONS = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'petstore'`;

/** What the server has counted, once the store is closed: a connection reports its counts at the latest when it ends. */
export async function countersOf<R>(url: string, query: string): Promise<R[]> {
  const rowsOf = (text: string) =>
    onDatabase(url, async (client) => (await client.query({ text, rowMode: 'array' })).rows);
  await expect.poll(() => rowsOf(CONNECTIONS)).toEqual([]);
  return rowsOf(query) as Promise<R[]>;
}
