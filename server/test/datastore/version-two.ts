// A database as version 2 of the schema left it, with orders that were placed under version 1.

import { type Dialect, readMigrations, sqlOf } from '../../src/datastore/migrations.ts';
import { CREATE_MARKERS } from '../../src/datastore/postgres/commit-markers.ts';
import { postgresDialect } from '../../src/datastore/postgres/migrate.ts';
import { createDatabase, onDatabase } from '../support/servers.ts';

export const VERSION_THREE = '0003-sessions-expiry-undo.sql';

const PLACED = 1_700_000_000_000;
const CHANGED = PLACED + 60_000;
const LATER = PLACED + 3_600_000;
const FIRST_MANY = 101;
/** More rows in the ledger than three batches hold. */
const LAST_MANY = 3_600;

/** What version 3 makes of the orders' creation times. */
export const creationTimes: readonly (readonly [id: number, at: number | null])[] = [
  [1, PLACED],
  [2, LATER],
  // The ledger knows nothing of it.
  [3, null],
  // The clock went back between its first row and its second.
  [4, CHANGED],
  ...Array.from({ length: LAST_MANY - FIRST_MANY + 1 }, (_, index) => {
    const id = FIRST_MANY + index;
    return [id, PLACED + id] as const;
  }),
];

const movement = (order: number, at: number) =>
  `${ledger} VALUES (1, 'reserved', 9, 9, 0, 1, ${order}, ${at});`;
const ledger = `INSERT INTO movements
  (pet_id, cause, quantity_before, quantity_after, reserved_before, reserved_after, order_id, at)`;
const many = `WITH RECURSIVE many (id) AS (
  SELECT ${FIRST_MANY} UNION ALL SELECT id + 1 FROM many WHERE id < ${LAST_MANY})`;

/**
 * Order 1 was placed under version 1 and changed in every batch since, order 2 was placed under version 2. The orders from 101 on were
 * placed under version 1.
 */
export function versionTwo(dialect: Dialect): string {
  const first = readMigrations().slice(0, 2);
  const history = `CREATE TABLE schema_migrations (version ${dialect.int} PRIMARY KEY, name TEXT NOT NULL,
    checksum TEXT NOT NULL, applied_at ${dialect.int} NOT NULL) ${dialect.strict};`;
  const applied = first.map(
    ({ version, name, checksum }) =>
      `INSERT INTO schema_migrations VALUES (${version}, '${name}', '${checksum}', 0);`,
  );
  return [
    history,
    ...first.map((migration) => sqlOf(migration, dialect)),
    ...applied,
    "INSERT INTO workspaces (id, name, plan, created_at) VALUES (1, 'a', 'free', 0);",
    "INSERT INTO categories (id, workspace_id, name, name_key) VALUES (1, 1, 'a', 'a');",
    `INSERT INTO pets (id, workspace_id, category_id, name, name_key, quantity, reserved, held)
     VALUES (1, 1, 1, 'a', 'a', 9, 3, 0);`,
    `INSERT INTO orders (id, workspace_id, pet_id, quantity, complete, created_at) VALUES
     (1, 1, 1, 1, 0, NULL), (2, 1, 1, 1, 0, ${LATER}), (3, 1, 1, 1, 0, NULL), (4, 1, 1, 1, 0, NULL);`,
    `INSERT INTO orders (id, workspace_id, pet_id, quantity, complete) ${many} SELECT id, 1, 1, 1, 0 FROM many;`,
    movement(1, PLACED),
    movement(1, CHANGED),
    movement(2, PLACED),
    movement(4, CHANGED),
    movement(4, PLACED),
    `${ledger} ${many}
     SELECT 1, 'reserved', 9, 9, 0, 1, id, ${PLACED} + id FROM many ORDER BY id;`,
    `${ledger} ${many}
     SELECT 1, 'reserved', 9, 9, 0, 1, CASE WHEN id % 500 = 0 THEN 1 ELSE id END, ${LATER} + id FROM many ORDER BY id;`,
  ].join('\n');
}

/** Returns the URL of a PostgreSQL database of version 2. */
export async function createVersionTwo(): Promise<string> {
  const url = await createDatabase();
  await onDatabase(url, async (client) => {
    await client.query(CREATE_MARKERS);
    await client.query(versionTwo(postgresDialect));
  });
  return url;
}

export async function readCreationTimes(
  url: string,
): Promise<(readonly [number, number | null])[]> {
  const { rows } = await onDatabase(url, (client) =>
    client.query<{ id: string; at: string | null }>(
      'SELECT id, created_at AS at FROM orders ORDER BY id',
    ),
  );
  return rows.map(({ id, at }) => [Number(id), at === null ? null : Number(at)]);
}
