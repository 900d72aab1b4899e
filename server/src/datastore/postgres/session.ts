// The settings that every statement of a node runs under: a node never runs without its timeouts. They are sent after
// connecting, because poolers refuse most of them at the start of a connection, and read back in a second round trip. A
// pooler that shares server connections between transactions keeps no settings of a session: there they travel with the
// beginning of each transaction.

import type pg from 'pg';
import { UnusableDatabase } from '../failures.ts';
import type { Command } from './command-batch.ts';

export type Pooling = 'session' | 'transaction';

interface SessionSettings {
  statementMs: number;
  lockMs: number;
  /** Whether a plan may read a table from end to end, as commands do. */
  mayScan: boolean;
}

export const TRANSACTION_POOLING =
  'a pooler shares connections between transactions: set PETSTORE_DATABASE_POOLING=transaction';

/**
 * Makes the settings for one transaction. A pooler may have led its connection to a server in recovery meanwhile, without a
 * word to this node. Such a server refuses the last of them, so nothing is read from it.
 */
export function localSettings(settings: SessionSettings): Command {
  const entries = [...entriesOf(settings), ['transaction_read_only', 'off'] as const];
  const calls = entries.map(([name], at) => `set_config('${name}', $${at + 1}, true)`);
  return { text: `SELECT ${calls.join(', ')}`, values: entries.map(([, value]) => value) };
}

/** Makes the settings for a session, and throws unless the server keeps them. */
export async function applySettings(
  client: pg.ClientBase,
  settings: SessionSettings,
): Promise<void> {
  const entries = entriesOf(settings);
  const calls = entries.map(([name], at) => `set_config('${name}', $${at + 1}, false)`);
  const made = await client.query({
    text: `SELECT ${calls.join(', ')}, pg_backend_pid()`,
    values: entries.map(([, value]) => value),
    rowMode: 'array',
  });
  const names = entries.map(([name]) => `current_setting('${name}')`);
  const kept = await client.query({
    text: `SELECT ${names.join(', ')}, pg_backend_pid()`,
    rowMode: 'array',
  });
  const [expected, found] = [made.rows[0] as unknown[], kept.rows[0] as unknown[]];
  if (expected.at(-1) !== found.at(-1)) throw new UnusableDatabase(TRANSACTION_POOLING);
  const lost = entries.find((_, at) => expected[at] !== found[at]);
  if (lost) {
    throw new UnusableDatabase(
      `the server does not keep ${lost[0]}: remove what resets it between the service and PostgreSQL`,
    );
  }
}

function entriesOf({ statementMs, lockMs, mayScan }: SessionSettings): [string, string][] {
  return [
    ['statement_timeout', `${statementMs}`],
    ['lock_timeout', `${lockMs}`],
    ['idle_in_transaction_session_timeout', `${statementMs}`],
    // For the statements that are transactions by themselves; the others say it in their BEGIN.
    ['default_transaction_isolation', 'read committed'],
    // The server keeps the plan of a prepared statement. A plan made while a table is small would scan the whole table, and
    // still do so once the table has grown; it would also sort a few rows that are now many, where an index has their
    // order. With scans and sorts off, a plan that needs one seems expensive enough to be compiled, so JIT is off too.
    ...(mayScan
      ? []
      : ([
          ['enable_seqscan', 'off'],
          ['enable_sort', 'off'],
          ['jit', 'off'],
        ] as [string, string][])),
  ];
}

/**
 * Throws if the server connection behind `first` changes between two of its transactions while `second` has one open. A
 * pooler that shares connections between transactions gives `second` the connection that `first` has just used.
 */
export async function refuseTransactionPooling(
  first: pg.ClientBase,
  second: pg.ClientBase,
): Promise<void> {
  const pidOf = async () => {
    const { rows } = await first.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return rows[0]!.pid;
  };
  const before = await pidOf();
  await second.query('BEGIN');
  try {
    if ((await pidOf()) !== before) throw new UnusableDatabase(TRANSACTION_POOLING);
  } finally {
    await second.query('ROLLBACK');
  }
}
