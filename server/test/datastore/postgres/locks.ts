import { onDatabase } from '../../support/servers.ts';

const WAITING = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const GIVE_UP_MS = 30_000;

/** Resolves once so many sessions of the database wait for a lock. */
export async function untilLockIsAwaited(url: string, sessions = 1): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  await onDatabase(url, async (client) => {
    while ((await client.query(WAITING)).rows.length < sessions) {
      if (performance.now() > giveUpAt) throw new Error('no session waits for a lock');
    }
  });
}
