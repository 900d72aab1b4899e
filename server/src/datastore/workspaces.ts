import sql from 'sql-template-tag';
import { type Limits, limitsOf, type PlanId } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import { recordChange } from './cluster/changes.ts';
import { byId, list, type Page, type PageRequest } from './list.ts';
import { insertion, insertRow, lockingStatement, Reader, statement } from './runner.ts';

type WorkspaceRow = readonly [
  id: number,
  name: string,
  plan: PlanId,
  perMinute: number | null,
  perDay: number | null,
  createdAt: number,
  lowStockAt: number | null,
];

const COLUMNS = 'id, name, plan, per_minute, per_day, created_at, low_stock_at';
const find = statement<WorkspaceRow>(`SELECT ${COLUMNS} FROM workspaces WHERE id = $1`);
const findAndLock = lockingStatement<WorkspaceRow>(
  `SELECT ${COLUMNS} FROM workspaces WHERE id = $1`,
);
const insert = insertion(
  `INSERT INTO workspaces (name, plan, per_minute, per_day, created_at)
   VALUES ($1, $2, $3, $4, $5)`,
);
const update = statement(
  `UPDATE workspaces SET name = $2, plan = $3, per_minute = $4, per_day = $5, low_stock_at = $6
   WHERE id = $1`,
);

// Every database has this row. A transaction that locks it is the only one to do what must happen once.
const lockFirstTime = lockingStatement('SELECT version FROM schema_migrations WHERE version = 1');
const count = statement<readonly [number]>('SELECT count(*) FROM workspaces');

export class WorkspaceReader extends Reader {
  async find(id: number): Promise<Workspace | undefined> {
    const row = await this.runner.row(find, [id]);
    return row && workspaceOf(row);
  }

  list(page: PageRequest): Promise<Page<Workspace>> {
    const columns = COLUMNS.split(', ');
    const all = { table: 'workspaces', columns, itemOf: workspaceOf, where: sql`id > 0` };
    return list(this.runner, { ...all, order: byId }, page);
  }
}

export class WorkspaceWriter extends WorkspaceReader {
  /** Whether there is no workspace yet. Until the transaction ends, no other transaction gets the same result. */
  async lockIfEmpty(): Promise<boolean> {
    await this.runner.row(lockFirstTime, []);
    return (await this.runner.row(count, []))![0] === 0;
  }

  async findAndLock(id: number): Promise<Workspace | undefined> {
    const row = await this.runner.row(findAndLock, [id]);
    return row && workspaceOf(row);
  }

  async create(workspace: Omit<Workspace, 'id'>): Promise<Workspace> {
    const { name, plan, limits, createdAt } = workspace;
    const custom = customLimits(plan, limits);
    const id = (await insertRow(this.runner, insert, [name, plan, ...custom, createdAt]))!;
    return { id, ...workspace };
  }

  async update({ id, name, plan, limits, lowStockAt }: Workspace): Promise<void> {
    const values = [id, name, plan, ...customLimits(plan, limits), lowStockAt ?? null];
    await this.runner.run(update, values);
    await recordChange(this.runner, { workspaceId: id, kind: 'workspace', subject: String(id) });
  }
}

function customLimits(plan: PlanId, limits: Limits): [number | null, number | null] {
  return plan === 'enterprise' ? [limits.perMinute, limits.perDay] : [null, null];
}

function workspaceOf(row: WorkspaceRow): Workspace {
  const [id, name, plan, perMinute, perDay, createdAt, lowStockAt] = row;
  const custom = perMinute === null || perDay === null ? undefined : { perMinute, perDay };
  const limits = limitsOf(plan, custom);
  return {
    id,
    name,
    plan,
    limits,
    createdAt,
    ...(lowStockAt === null ? {} : { lowStockAt }),
  };
}
