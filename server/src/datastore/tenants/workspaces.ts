import sql from 'sql-template-tag';
import { type Limits, limitsOf, type PlanId } from '../../domain/plan.ts';
import { type Workspace, type WorkspaceState, workspaceStates } from '../../domain/workspace.ts';
import { recordChange } from '../cluster/changes.ts';
import { byId, list, type Page, type PageRequest } from '../list.ts';
import { insertion, insertRow, lockingStatement, Reader, type Row, statement } from '../runner.ts';
import { optional, plain, Table } from '../table.ts';

/** A workspace as its row has it: only Enterprise has limits of its own. */
type FlatWorkspace = Omit<Workspace, 'limits' | 'grant'> &
  Partial<Limits> & { grantPerDay?: number; grantEndsAt?: number };

export const workspaceTable = new Table<FlatWorkspace>('workspaces', {
  key: ['id'],
  isNumbered: true,
  fields: {
    id: plain('id'),
    name: plain('name'),
    plan: plain('plan'),
    perMinute: optional('per_minute'),
    perDay: optional('per_day'),
    grantPerDay: optional('grant_per_day'),
    grantEndsAt: optional('grant_ends_at'),
    lowStockAt: optional('low_stock_at'),
    createdAt: plain('created_at'),
    activeSince: optional('active_since'),
    suspendedAt: optional('suspended_at'),
    suspendReason: optional('suspend_reason'),
    closedAt: optional('closed_at'),
    closedBy: optional('closed_by'),
    closeReason: optional('close_reason'),
    eraseAt: optional('erase_at'),
    erasedAt: optional('erased_at'),
  },
});

const { columns } = workspaceTable;
// An erased workspace is like one that never was.
const find = statement<Row>(
  `SELECT ${columns} FROM workspaces WHERE id = $1 AND erased_at IS NULL`,
);
const findAndLock = lockingStatement<Row>(find.text);
const insert = insertion(
  `INSERT INTO workspaces (name, plan, per_minute, per_day, created_at)
   VALUES ($1, $2, $3, $4, $5)`,
);
const changes = columns.slice(1).map((name, at) => `${name} = $${at + 2}`);
const update = statement(`UPDATE workspaces SET ${changes} WHERE id = $1`);

// Every database has this row. A transaction that locks it is the only one to do what must happen once.
const lockFirstTime = lockingStatement('SELECT version FROM schema_migrations WHERE version = 1');
const countByState = statement<readonly [state: string, count: number]>(
  'SELECT state, count(*) FROM workspaces GROUP BY state',
);
const count = statement<readonly [number]>('SELECT count(*) FROM workspaces');

export class WorkspaceReader extends Reader {
  async find(id: number): Promise<Workspace | undefined> {
    const row = await this.runner.row(find, [id]);
    return row && workspaceOf(row);
  }

  /** Of one state; without a state, all but those that are erased. */
  list(page: PageRequest, state?: WorkspaceState): Promise<Page<Workspace>> {
    const all = { table: 'workspaces', columns, itemOf: workspaceOf, where: sql`TRUE` };
    const along = state && { column: 'state', value: state };
    const filters = state ? [] : [sql`erased_at IS NULL`];
    return list(this.runner, { ...all, along, order: byId, filters }, page);
  }

  /** How many there are in each state. It reads all rows. */
  async countByState(): Promise<ReadonlyMap<string, number>> {
    const found = new Map(await this.runner.rows(countByState, []));
    return new Map(workspaceStates.map((state) => [state, found.get(state) ?? 0]));
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
    const { perMinute = null, perDay = null } = ownLimits(plan, limits);
    const values = [name, plan, perMinute, perDay, createdAt];
    const id = (await insertRow(this.runner, insert, values))!;
    return { id, ...workspace };
  }

  async update({ limits, grant, ...workspace }: Workspace): Promise<void> {
    const { id, plan } = workspace;
    const granted = grant && { grantPerDay: grant.perDay, grantEndsAt: grant.endsAt };
    const flat = { ...workspace, ...ownLimits(plan, limits), ...granted };
    const values = workspaceTable.valuesOf(flat);
    await this.runner.run(update, values);
    await recordChange(this.runner, { workspaceId: id, kind: 'workspace', subject: String(id) });
  }
}

function ownLimits(plan: PlanId, limits: Limits): Partial<Limits> {
  return plan === 'enterprise' ? limits : {};
}

export function workspaceOf(row: Row): Workspace {
  const { perMinute, perDay, grantPerDay, grantEndsAt, ...workspace } =
    workspaceTable.recordOf(row);
  const own = perMinute === undefined || perDay === undefined ? undefined : { perMinute, perDay };
  const grant =
    grantPerDay && grantEndsAt ? { perDay: grantPerDay, endsAt: grantEndsAt } : undefined;
  const limits = limitsOf(workspace.plan, own);
  return { ...workspace, limits, ...(grant && { grant }) };
}
