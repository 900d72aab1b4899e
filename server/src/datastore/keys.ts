import sql, { join } from 'sql-template-tag';
import { HOUR_MS } from '../domain/durations.ts';
import type { Caller, KeyEnd, KeyRecord, Scope } from '../domain/key.ts';
import { standingOf } from '../domain/workspace.ts';
import { recordChange } from './cluster/changes.ts';
import { list, type Page, type PageRequest } from './list.ts';
import { lockingStatement, Reader, type Row, statement } from './runner.ts';
import { optional, plain, Table } from './table.ts';
import { workspaceOf, workspaceTable } from './tenants/workspaces.ts';

/** As its row has it: the scopes are one text. */
interface FlatKey extends Omit<KeyRecord, 'scopes'> {
  scopes: string;
}

export const keyTable = new Table<FlatKey>('api_keys', {
  key: ['id'],
  fields: {
    id: plain('id'),
    workspaceId: plain('workspace_id'),
    name: plain('name'),
    hint: plain('hint'),
    scopes: plain('scopes'),
    createdAt: plain('created_at'),
    expiresAt: optional('expires_at'),
    lastUsedAt: optional('last_used_at'),
    revokedAt: optional('revoked_at'),
    rotatedAt: optional('rotated_at'),
    parentId: optional('parent_id'),
  },
  hidden: ['digest'],
});

const { columns } = keyTable;
const keyList = {
  table: 'api_keys',
  columns,
  itemOf: keyOf,
  order: [{ name: 'id', type: 'string' }],
} as const;
/** A key with its workspace. */
const CREDENTIAL = `SELECT ${columns.map((name) => `k.${name}`)}, ${workspaceTable.columns.map((name) => `w.${name}`)}
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id`;
const findByDigest = statement<Row>(`${CREDENTIAL} WHERE k.digest = $1`);
const findById = statement<Row>(`${CREDENTIAL} WHERE k.id = $1 AND k.workspace_id = $2`);
const find = statement<Row>(`SELECT ${columns} FROM api_keys WHERE id = $1 AND workspace_id = $2`);
const findAndLock = lockingStatement<Row>(find.text);
const listAll = statement<Row>(
  `SELECT ${columns} FROM api_keys WHERE workspace_id = $1 ORDER BY id`,
);
/** The words of the index api_keys_managing. */
const MANAGES = "parent_id IS NULL AND revoked_at IS NULL AND scopes LIKE '%manage%'";
/** More than are revoked at the same time. */
const MANAGERS_MAX = 20;
const managers = (end: string, order: string) => `SELECT id FROM (
  SELECT id FROM api_keys WHERE workspace_id = $1 AND ${MANAGES} AND expires_at ${end}
  ORDER BY ${order} LIMIT ${MANAGERS_MAX}) AS managers`;
/** A session that ended longer ago than this has ended by the clock of each node. */
const ENDED_MS = HOUR_MS;
// In the order of the ids, but by an expression. For an order that an index has, PostgreSQL would follow that index, through
// the keys of all workspaces.
const listToRevokeAndLock = lockingStatement<Row>(
  `SELECT ${columns} FROM api_keys WHERE id IN (
     ${managers('IS NULL', 'expires_at, id')} UNION ${managers('> $3', 'expires_at DESC, id DESC')}
     UNION SELECT id FROM api_keys WHERE workspace_id = $1 AND id = $2
     UNION SELECT session.id FROM api_keys AS parent JOIN api_keys AS session ON session.parent_id = parent.id
       WHERE parent.workspace_id = $1 AND parent.id = $2 AND session.revoked_at IS NULL
       AND session.expires_at > CAST($3 AS BIGINT) - ${ENDED_MS}
   ) ORDER BY id || ''`,
);
/** The words of the index api_keys_operating, which has the few keys of operators. */
const OPERATES = "parent_id IS NULL AND revoked_at IS NULL AND scopes LIKE '%operate%'";
const findOperator = statement(
  `SELECT 1 FROM api_keys WHERE workspace_id = $1 AND ${OPERATES}
   AND (expires_at IS NULL OR expires_at > $2) LIMIT 1`,
);
const listOperatingWorkspaces = statement<readonly [id: number]>(
  `SELECT DISTINCT workspace_id FROM api_keys WHERE ${OPERATES}`,
);
const findAny = statement<Row>(`SELECT ${columns} FROM api_keys WHERE id = $1`);
const listOperatorsAndLock = lockingStatement<readonly [id: string]>(
  `SELECT id FROM api_keys WHERE ${OPERATES} AND expires_at IS NULL ORDER BY workspace_id, id LIMIT 2`,
);
// A range and an order that api_keys_open_sessions alone has.
const listSessions = statement<Row>(
  `SELECT ${columns} FROM api_keys
   WHERE (parent_id, expires_at) > ($1, $2) AND parent_id <= $1 AND revoked_at IS NULL
   ORDER BY parent_id, expires_at`,
);
const insert = statement(
  `INSERT INTO api_keys (digest, ${columns}) VALUES ($1, ${columns.map((_, at) => `$${at + 2}`)})`,
);
const revoke = statement(
  'UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL',
);
const revokeSessions = statement(
  `UPDATE api_keys SET revoked_at = $2
   WHERE parent_id = $1 AND revoked_at IS NULL AND expires_at > CAST($2 AS BIGINT) - ${ENDED_MS}`,
);
const shortenSessions = statement(
  'UPDATE api_keys SET expires_at = $2 WHERE parent_id = $1 AND revoked_at IS NULL AND expires_at > $2',
);
const rotate = statement(
  `UPDATE api_keys SET rotated_at = $3,
     expires_at = CASE WHEN expires_at < $4 THEN expires_at ELSE $4 END
   WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL AND rotated_at IS NULL`,
);
const touch = statement(
  `UPDATE api_keys SET last_used_at = $2 WHERE id = $1
   AND (last_used_at IS NULL OR last_used_at < $2)`,
);

/** What authentication needs of a key. */
export interface Credential extends KeyEnd {
  caller: Caller;
}

interface KeyFilter {
  ids?: readonly string[] | undefined;
  /** Which sessions; all if absent. */
  sessions?: 'all' | 'open' | 'none' | undefined;
  now: number;
}

export class KeyReader extends Reader {
  /**
   * Looks a key up by its digest alone. A wrong secret and an unknown id are the same query with the same result, so
   * their timing does not differ.
   */
  async findCredential(digest: string): Promise<Credential | undefined> {
    const row = await this.runner.row(findByDigest, [digest]);
    return row && credentialOf(row);
  }

  async findCredentialOf(workspaceId: number, id: string): Promise<Credential | undefined> {
    const row = await this.runner.row(findById, [id, workspaceId]);
    return row && credentialOf(row);
  }

  async find(workspaceId: number, id: string): Promise<KeyRecord | undefined> {
    const row = await this.runner.row(find, [id, workspaceId]);
    return row && keyOf(row);
  }

  /** Whether the workspace has an active key with the scope `operate`. */
  async hasOperator(workspaceId: number, now: number): Promise<boolean> {
    return (await this.runner.row(findOperator, [workspaceId, now])) !== undefined;
  }

  /** The workspaces with a key with the scope `operate` that is not revoked. */
  async listOperatingWorkspaces(): Promise<number[]> {
    return (await this.runner.rows(listOperatingWorkspaces, [])).map(([id]) => id);
  }

  /** A key of any workspace, for the operator. */
  async findAny(id: string): Promise<KeyRecord | undefined> {
    const row = await this.runner.row(findAny, [id]);
    return row && keyOf(row);
  }

  /** Keys of all workspaces whose id begins so, for the operator. */
  listAny(idPrefix: string | undefined, page: PageRequest): Promise<Page<KeyRecord>> {
    // An id has letters and digits, and all of them come before this character.
    const within = idPrefix === undefined ? {} : { from: idPrefix, to: `${idPrefix}~` };
    return list(this.runner, { ...keyList, where: sql`TRUE`, within }, page);
  }

  /** All keys of the workspace, oldest first. */
  async listAll(workspaceId: number): Promise<KeyRecord[]> {
    return oldestFirst(await this.runner.rows(listAll, [workspaceId]));
  }

  list(
    workspaceId: number,
    { ids, sessions, now }: KeyFilter,
    page: PageRequest,
  ): Promise<Page<KeyRecord>> {
    const filters = {
      all: [],
      none: [sql`parent_id IS NULL`],
      open: [sql`(parent_id IS NULL OR (revoked_at IS NULL AND expires_at > ${now}))`],
    }[sessions ?? 'all'];
    const isOwn = sql`workspace_id = ${workspaceId}`;
    // Ids are in order among the keys of all workspaces, too. A path along the workspace cannot be left for them.
    const path = ids
      ? { where: sql`id IN (${join(ids)})`, filters: [isOwn, ...filters] }
      : { where: sql`TRUE`, along: { column: 'workspace_id', value: workspaceId }, filters };
    return list(this.runner, { ...keyList, workspaceId, ...path }, page);
  }
}

export class KeyWriter extends KeyReader {
  /** Until the transaction ends, the key is neither revoked nor rotated. */
  async findAndLock(workspaceId: number, id: string): Promise<KeyRecord | undefined> {
    const row = await this.runner.row(findAndLock, [id, workspaceId]);
    return row && keyOf(row);
  }

  /**
   * This key, which may be a session, with its sessions, and keys that manage the workspace without it, if there are any. They
   * are locked by id, the order in which usage updates them.
   */
  async listToRevokeAndLock(workspaceId: number, id: string, now: number): Promise<KeyRecord[]> {
    return oldestFirst(await this.runner.rows(listToRevokeAndLock, [workspaceId, id, now]));
  }

  /**
   * Whether the service has another key with `operate` that never expires. Two are locked, always the same, so of many
   * transactions that revoke such keys at once, each sees what the one before it has left.
   */
  async hasOperatorBeside(id: string): Promise<boolean> {
    const rows = await this.runner.rows(listOperatorsAndLock, []);
    return rows.some(([other]) => other !== id);
  }

  /** The sessions of a key that have not ended, oldest first. */
  async listSessions(parentId: string, now: number): Promise<KeyRecord[]> {
    return oldestFirst(await this.runner.rows(listSessions, [parentId, now]));
  }

  async create(key: KeyRecord, digest: string): Promise<void> {
    const flat = { ...key, scopes: key.scopes.join(' ') };
    await this.runner.run(insert, [digest, ...keyTable.valuesOf(flat)]);
  }

  /** Also ends the sessions of the key. False when there is no such key that was not revoked before. */
  async revoke(workspaceId: number, id: string, at: number): Promise<boolean> {
    if ((await this.runner.run(revoke, [id, workspaceId, at])) !== 1) return false;
    await this.runner.run(revokeSessions, [id, at]);
    await recordChange(this.runner, { workspaceId, kind: 'key', subject: id });
    return true;
  }

  /**
   * Marks a key as rotated; it and its sessions expire then, or before if they have an earlier expiry. False if it was
   * rotated or revoked before: of many rotations at once, one succeeds.
   */
  async rotate(
    workspaceId: number,
    id: string,
    { at, expiresAt }: { at: number; expiresAt: number },
  ): Promise<boolean> {
    if ((await this.runner.run(rotate, [id, workspaceId, at, expiresAt])) !== 1) return false;
    await this.runner.run(shortenSessions, [id, expiresAt]);
    await recordChange(this.runner, { workspaceId, kind: 'key', subject: id });
    return true;
  }

  async touch(id: string, at: number): Promise<void> {
    await this.runner.runLater(touch, [id, at]);
  }
}

function oldestFirst(rows: readonly Row[]): KeyRecord[] {
  return rows.map(keyOf).sort((a, b) => a.createdAt - b.createdAt);
}

function keyOf(row: Row): KeyRecord {
  const key = keyTable.recordOf(row);
  return { ...key, scopes: key.scopes.split(' ').filter(Boolean) as Scope[] };
}

/** A key of an erased workspace is no key any more. */
function credentialOf(row: Row): Credential | undefined {
  const { id: keyId, workspaceId, scopes, parentId, expiresAt, revokedAt } = keyOf(row);
  const workspace = workspaceOf(row.slice(columns.length));
  const { plan, limits, grant, lowStockAt } = workspace;
  const standing = standingOf(workspace);
  if (standing.state === 'erased') return undefined;
  return {
    caller: {
      keyId,
      workspaceId,
      scopes,
      plan,
      limits: { ...limits, ...(grant && { grant }) },
      ...(standing.state === 'active' ? {} : { standing }),
      ...(lowStockAt === undefined ? {} : { lowStockAt }),
      ...(parentId === undefined ? {} : { parentId }),
    },
    expiresAt,
    revokedAt,
  };
}
