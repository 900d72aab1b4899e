// Which node does which job. A lease that changes hands, or that had ended, gets a higher number; what its job writes is
// refused under a lower one.

import sql, { join, raw } from 'sql-template-tag';
import { databaseNow } from '../dialect.ts';
import { query, queryAndLock, Reader, runChange } from '../runner.ts';

/** How long a lease lasts unless it is renewed. */
export const JOB_LEASE_MS = 6_000;
/**
 * An end that is further away than this means that the clock was set back. Of two nodes that ask at once, the one that waits
 * for the other has the earlier time, so the end of a lease that was just taken may be further away than a lease is long.
 */
const END_MAX_MS = 2 * JOB_LEASE_MS;

interface LeaseRequest {
  names: readonly string[];
  /** The node that asks. */
  holder: string;
  /** By the clock of the node, which is used only on SQLite. */
  nodeNow: number;
}

export class LeaseReader extends Reader {
  /** Those of the names whose lease no other node has. A node that finds none to take writes nothing. */
  async free({ names, holder, nodeNow }: LeaseRequest): Promise<string[]> {
    const now = databaseNow(nodeNow);
    const rows = await query<readonly [string]>(
      this.runner,
      sql`SELECT name FROM leases WHERE holder <> ${holder} AND until > ${now}
            AND until <= ${now} + ${raw(String(END_MAX_MS))}`,
    );
    const taken = new Set(rows.map(([name]) => name));
    return names.filter((name) => !taken.has(name));
  }

  /** Those of the names whose lease some node has. */
  async taken(names: readonly string[], nodeNow: number): Promise<string[]> {
    const rows = await query<readonly [string]>(
      this.runner,
      sql`SELECT name FROM leases WHERE until > ${databaseNow(nodeNow)}`,
    );
    const taken = new Set(rows.map(([name]) => name));
    return names.filter((name) => taken.has(name));
  }
}

export class LeaseWriter extends LeaseReader {
  /** Takes or renews leases. Returns the numbers of those that the holder has now. */
  async take({ names, holder, nodeNow }: LeaseRequest): Promise<Map<string, number>> {
    const now = databaseNow(nodeNow);
    const until = sql`${now} + ${raw(String(JOB_LEASE_MS))}`;
    const rows = await query<readonly [name: string, number: number]>(
      this.runner,
      sql`INSERT INTO leases (name, holder, number, until)
          VALUES ${join(names.toSorted().map((name) => sql`(${name}, ${holder}, 1, ${until})`))}
          ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
            number = leases.number
              + CASE WHEN leases.holder = excluded.holder AND leases.until > ${now} THEN 0 ELSE 1 END
          WHERE leases.holder = excluded.holder OR leases.until <= ${now}
            OR leases.until > ${now} + ${raw(String(END_MAX_MS))}
          RETURNING name, number`,
    );
    return new Map(rows);
  }

  /**
   * The time, if this number is still the current one of the lease. Until the transaction ends, no other node can take the
   * lease.
   */
  async check(name: string, number: number, nodeNow: number): Promise<number | undefined> {
    const now = databaseNow(nodeNow);
    const rows = await queryAndLock<readonly [number]>(
      this.runner,
      sql`SELECT ${now} FROM leases WHERE name = ${name} AND number = ${number}`,
    );
    return rows[0]?.[0];
  }

  /** Ends the leases of a node, so that another takes them at once. */
  async release(holder: string, nodeNow: number): Promise<void> {
    const now = databaseNow(nodeNow);
    await runChange(
      this.runner,
      sql`UPDATE leases SET until = ${now} WHERE holder = ${holder} AND until > ${now}`,
    );
  }
}
