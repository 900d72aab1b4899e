import { onDatabase } from '../../support/servers.ts';

const WAITING = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves once a session of the database waits for a lock. */
export async function untilLockIsAwaited(url: string): Promise<void> {
  await onDatabase(url, async (client) => {
    while ((await client.query(WAITING)).rows.length === 0);
  });
}
