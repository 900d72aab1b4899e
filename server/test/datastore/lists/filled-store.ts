// A workspace with more rows than a request may examine, in the distributions that are worst for a list: a filter matches
// all rows, none, one that is far from both ends, or few that lie in another order. A neighbour has as many rows, and their
// ids alternate, so a statement that leaves its workspace examines those, too.

import { tables } from '../../../src/datastore/tables.ts';
import { type Engine, NOW, newShop, placeIn, why } from '../fixture.ts';

/** How many rows a list examines over the runners of `counting.ts`. */
export const EXAMINED_MAX = 500;
export const ROWS = 3 * EXAMINED_MAX;
/** The row of each table that is unlike all others. */
export const RARE = ROWS / 2;
/** Above the ids of the rows that the service has made. */
const FIRST_ID = 1_000;
const DELETED_FIRST_ID = 10 * ROWS;

/** These rows have the same name and the same time, and are more than a list examines. */
const SAME = { from: 100, to: 700 };
const placeOf = (n: number) => (n >= SAME.from && n <= SAME.to ? SAME.from : n);

/** The id of row n of the workspace in any table, its name, its key and its time: times and names run backwards. */
export const idAt = (n: number) => FIRST_ID + 2 * n;
export const nameAt = (n: number) => `Shared name ${String(100_000 + ROWS - placeOf(n)).slice(1)}`;
export const keyAt = (n: number) => `own ${String(100_000 + n).slice(1)}`;
export const referenceAt = (n: number) => `sku ${String(100_000 + n).slice(1)}`;
export const timeAt = (n: number) => NOW + ROWS - placeOf(n);

const PLACE = `CASE WHEN n BETWEEN ${SAME.from} AND ${SAME.to} THEN ${SAME.from} ELSE n END`;
const padded = (number: string) => `substr(CAST(100000 + ${number} AS TEXT), 2)`;
const TIME = `${NOW + ROWS} - ${PLACE}`;
/** Every pet, category and order has the word `shared`, and a pet or an order one of its own. */
const SHARED = `'["shared"]'`;
const OWN_WORD = `'w' || ${padded('n')}`;
const OWN_WORDS = `'["shared","' || ${OWN_WORD} || '"]'`;
const unlessRare = (usual: string | number, rare: string | number) =>
  `CASE WHEN n = ${RARE} THEN ${rare} ELSE ${usual} END`;

export interface Filled {
  workspaceId: number;
  /** `common` has all pets but one, `rare` has that one. */
  categories: { common: number; rare: number; empty: number };
  /** `common` has all orders and movements but one, `rare` has that one. */
  pets: { common: number; rare: number; empty: number };
  /** `common` has all attempts. */
  webhooks: { common: number; empty: number };
}

/** All but one of the others are active or erased. */
const workspaces = {
  id: `${FIRST_ID} + 2 * n`,
  suspended_at: unlessRare('NULL', NOW),
  suspend_reason: unlessRare('NULL', "''"),
  erased_at: `CASE WHEN n > ${RARE} THEN ${NOW} END`,
};

type Shop = Awaited<ReturnType<typeof newShopToCopy>>;

/** Fills a new store by SQL. */
export async function fillStore(engine: Engine): Promise<Filled> {
  const [own, neighbour] = [await newShopToCopy(engine), await newShopToCopy(engine)];
  await fillShop(engine, own, { firstId: FIRST_ID, keys: 'own ' });
  await fillShop(engine, neighbour, { firstId: FIRST_ID + 1, keys: 'neighbour ' });
  await engine.execute(insertion('workspaces', workspaces, own.workspaceId));
  // The service makes no statistics on SQLite, so its plans follow from the schema alone.
  if (engine.location.startsWith('postgres')) await engine.execute('ANALYZE');
  return {
    workspaceId: own.workspaceId,
    categories: { common: own.categoryId, rare: idAt(RARE), empty: idAt(1) },
    pets: { common: own.petId, rare: idAt(RARE), empty: idAt(1) },
    webhooks: { common: idAt(1), empty: idAt(2) },
  };
}

/** A shop with one row in each table that `fillShop` copies. */
async function newShopToCopy({ store }: Engine) {
  const shop = await newShop(store, { quantity: 2, reserved: 0, held: false });
  const { workspaceId, petId } = shop;
  const order = { petId, quantity: 1, complete: false, expiresAt: NOW + 1 };
  const orderId = await store.transact((tx) => placeIn(tx, workspaceId, order, why));
  const { items } = await store.read.ledger.list(workspaceId, {}, { sort: 'id', limit: 1 });
  return { ...shop, orderId, movementId: items[0]!.id };
}

async function fillShop(
  engine: Engine,
  { workspaceId, petId, categoryId, orderId, movementId }: Shop,
  { firstId, keys }: { firstId: number; keys: string },
): Promise<void> {
  const id = `${firstId} + 2 * n`;
  const rare = String(firstId + 2 * RARE);
  const insert = (table: string, columns: Record<string, string>, copied?: number) =>
    engine.execute(insertion(table, { workspace_id: String(workspaceId), ...columns }, copied));
  const nameOf = (prefix: string, place: string) =>
    `'${prefix} name ' || ${padded(`${ROWS} - ${place}`)}`;
  const named = { name: nameOf('Shared', PLACE), name_key: nameOf('shared', PLACE) };
  const pet = {
    ...named,
    created_at: `${NOW} + n`,
    moved_at: `${NOW} + n`,
    reserved: '0',
    held: '0',
    words: OWN_WORDS,
    reference: `'sku ' || ${padded('n')}`,
  };
  await insert(
    'categories',
    { id, name: nameOf('Shared', 'n'), name_key: nameOf('shared', 'n'), words: SHARED },
    categoryId,
  );
  await insert(
    'pets',
    { ...pet, id, category_id: unlessRare(categoryId, rare), quantity: unlessRare(5, 0) },
    petId,
  );
  await insert('category_words', { id, word: "'shared'" });
  await insert('pet_words', { id, word: "'shared'" });
  await insert('pet_words', { id, word: OWN_WORD });
  const deleted = { category_id: 'NULL', deleted_at: String(NOW), quantity: '0' };
  await insert('pets', { ...pet, ...deleted, id: `${DELETED_FIRST_ID + firstId} + 2 * n` }, petId);
  await insert(
    'orders',
    {
      id,
      pet_id: unlessRare(petId, rare),
      ship_date: TIME,
      created_at: TIME,
      reference: unlessRare("'shared'", "'rare'"),
      words: OWN_WORDS,
      customer_words: SHARED,
      state: unlessRare("'open'", "'complete'"),
      ended_at: unlessRare('NULL', NOW),
      expires_at: unlessRare(`CASE WHEN n = ${RARE + 1} THEN ${NOW} ELSE ${NOW} + n END`, 'NULL'),
    },
    orderId,
  );
  const ended = { state: "'expired'", ended_at: String(NOW), expires_at: 'NULL' };
  await insert(
    'orders',
    {
      ...ended,
      id: `${DELETED_FIRST_ID + firstId} + 2 * n`,
      pet_id: String(petId),
      ship_date: `CASE WHEN n <= ${RARE} THEN ${TIME} END`,
    },
    orderId,
  );
  await insert('order_words', { id, word: "'shared'" });
  await insert('order_words', { id, word: OWN_WORD });
  await insert(
    'movements',
    {
      id,
      pet_id: unlessRare(petId, rare),
      cause: unlessRare("'adjusted'", "'set'"),
      key_id: unlessRare("'usual'", "'rare'"),
      at: TIME,
    },
    movementId,
  );
  await insert('api_keys', {
    id: `'${keys}' || ${padded('n')}`,
    digest: `'${keys}' || ${padded('n')}`,
    name: "''",
    hint: "''",
    scopes: "''",
    parent_id: unlessRare("'parent'", 'NULL'),
    created_at: TIME,
    expires_at: unlessRare(TIME, 'NULL'),
    rotated_at: 'NULL',
    revoked_at: unlessRare(TIME, 'NULL'),
    last_used_at: 'NULL',
  });
  await insertWebhooks(insert, id, firstId);
  await insert('audit_log', {
    id,
    at: TIME,
    action: unlessRare("'key.created'", "'key.revoked'"),
    actor_type: "'key'",
    actor_id: unlessRare("'usual'", "'rare'"),
    actor_name: 'NULL',
    target: unlessRare("'usual'", "'rare'"),
    fields_before: 'NULL',
    fields_after: 'NULL',
    request_id: 'NULL',
    address: 'NULL',
  });
  await insertRequests(insert);
  await insert('events', {
    sequence: '1000 + n',
    at: TIME,
    traceparent: 'NULL',
    text: "'{}'",
  });
}

type Insert = (table: string, columns: Record<string, string>) => Promise<unknown>;

async function insertWebhooks(insert: Insert, id: string, firstId: number): Promise<void> {
  const columns = tables.find(({ name }) => name === 'webhooks')!.allColumns;
  const numbers =
    'batch_max per_second_max is_verified state failures rejections cursor revision cursor_revision lease_number created_at';
  const texts = 'url types secret secret_hint';
  const valueIn = (column: string) =>
    texts.split(' ').includes(column) ? "''" : numbers.split(' ').includes(column) ? '1' : 'NULL';
  const values = Object.fromEntries(columns.map((column) => [column, valueIn(column)]));
  const { workspace_id: _, ...own } = values;
  await insert('webhooks', { ...own, id });
  const webhookId = String(firstId + 2);
  await insert('webhook_parked', {
    webhook_id: webhookId,
    sequence: 'n',
    attempts: '1',
    status: 'NULL',
    parked_at: TIME,
  });
  await insert('webhook_attempts', {
    id,
    webhook_id: webhookId,
    first_sequence: 'n',
    last_sequence: 'n',
    is_verification: '0',
    attempt: '1',
    at: TIME,
    duration_ms: '1',
    outcome: unlessRare("'delivered'", "'failed'"),
    status: 'NULL',
    excerpt: 'NULL',
  });
}

async function insertRequests(insert: Insert): Promise<void> {
  const columns = tables.find(({ name }) => name === 'request_log')!.allColumns;
  const { workspace_id: _, ...texts } = Object.fromEntries(columns.map((each) => [each, "''"]));
  const numbers = { duration_us: '1', request_bytes: '1', response_bytes: '1', is_replay: '0' };
  await insert('request_log', {
    ...texts,
    ...numbers,
    at: TIME,
    entry: padded('n'),
    status: unlessRare(201, 409),
    code: unlessRare('NULL', "'conflict'"),
    operation_id: unlessRare("'usual'", "'rare'"),
    key_id: unlessRare("'usual'", "'rare'"),
  });
}

/** Inserts ROWS rows. Columns that are not given are copied from the row with the id `copied`. */
function insertion(table: string, columns: Record<string, string>, copied?: number): string {
  const all = tables.find(({ name }) => name === table)!.allColumns;
  const values = all.map((column) => columns[column] ?? `copied.${column}`);
  const source =
    copied === undefined ? '' : `, (SELECT * FROM ${table} WHERE id = ${copied}) copied`;
  return `INSERT INTO ${table} (${all})
    WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${ROWS})
    SELECT ${values} FROM series${source}`;
}
