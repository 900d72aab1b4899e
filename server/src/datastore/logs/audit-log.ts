import sql, { join, type Sql } from 'sql-template-tag';
import {
  type Actor,
  type AuditFilter,
  type AuditRecord,
  hiddenActors,
} from '../../domain/logs/audit.ts';
import { byId, list, type Page, type PageRequest } from '../list.ts';
import { insertion, insertRow, Reader, type Row } from '../runner.ts';
import { json, jsonText, optional, plain, Table } from '../table.ts';

/** A row as it is stored: the actor in three columns. */
interface AuditRow extends Omit<AuditRecord, 'actor'> {
  actorType: Actor['type'];
  actorId?: string;
  actorName?: string;
}

export const auditTable = new Table<AuditRow>('audit_log', {
  key: ['workspace_id', 'id'],
  fields: {
    workspaceId: plain('workspace_id'),
    id: plain('id'),
    at: plain('at'),
    action: plain('action'),
    actorType: plain('actor_type'),
    actorId: optional('actor_id'),
    actorName: optional('actor_name'),
    target: plain('target'),
    before: json('fields_before'),
    after: json('fields_after'),
    requestId: optional('request_id'),
    address: optional('address'),
  },
});

const byTime = [{ name: 'at', type: 'number' } as const, ...byId];

const insert = insertion(
  `INSERT INTO audit_log (workspace_id, at, action, actor_type, actor_id, actor_name, target,
     fields_before, fields_after, request_id, address)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

export class AuditLogReader extends Reader {
  /** Rows of a workspace as its owner may find them: by the id of an operator it finds none. */
  listOwn(
    workspaceId: number,
    filter: AuditFilter,
    page: PageRequest<'at'>,
  ): Promise<Page<AuditRecord>> {
    const isHidden = sql`actor_type NOT IN (${join(hiddenActors)})`;
    const where = sql`workspace_id = ${workspaceId}`;
    const more = filter.actor === undefined ? [] : [isHidden];
    return this.#list({ where, workspaceId, more }, filter, page);
  }

  /** Rows of one workspace, or of all. */
  list(
    workspaceId: number | undefined,
    filter: AuditFilter,
    page: PageRequest<'at'>,
  ): Promise<Page<AuditRecord>> {
    const rows =
      workspaceId === undefined
        ? { where: sql`TRUE`, indexed: sql`id > 0` }
        : { where: sql`workspace_id = ${workspaceId}`, workspaceId };
    return this.#list({ ...rows, more: [] }, filter, page);
  }

  #list(
    { more, ...rows }: { where: Sql; indexed?: Sql; workspaceId?: number; more: Sql[] },
    { action, target, actor, from, to }: AuditFilter,
    page: PageRequest<'at'>,
  ): Promise<Page<AuditRecord>> {
    const filters = [
      ...more,
      ...(action === undefined ? [] : [sql`action = ${action}`]),
      ...(target === undefined ? [] : [sql`target = ${target}`]),
      ...(actor === undefined ? [] : [sql`actor_id = ${actor}`]),
    ];
    const { columns } = auditTable;
    const table = { table: 'audit_log', columns, itemOf: recordOf, order: byTime };
    return list(this.runner, { ...table, ...rows, within: { from, to }, filters }, page);
  }
}

export class AuditLogWriter extends AuditLogReader {
  async add(record: Omit<AuditRecord, 'id'>): Promise<void> {
    const { workspaceId, at, action, actor, target, before, after } = record;
    const { requestId = null, address = null } = record;
    const { type, id = null, name = null } = actor;
    const fields = [jsonText(before), jsonText(after)];
    const values = [workspaceId, at, action, type, id, name, target, ...fields, requestId, address];
    await insertRow(this.runner, insert, values);
  }
}

function recordOf(row: Row): AuditRecord {
  const { actorType, actorId, actorName, ...record } = auditTable.recordOf(row);
  return {
    ...record,
    actor: {
      type: actorType,
      ...(actorId === undefined ? {} : { id: actorId }),
      ...(actorName === undefined ? {} : { name: actorName }),
    },
  };
}
