import { type Limits, type PlanId, planIds } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import { formatInstant } from '../lib/instant.ts';
import { createWorkspace, updateAnyWorkspace } from '../services/workspaces.ts';
import { type Command, type Options, UsageError } from './command.ts';

export async function workspacesCommand(command: Command): Promise<void> {
  const [action, id] = command.words;
  if (action === 'list') return list(command);
  if (action === 'create') return create(command);
  if (action === 'update' && id) return update(command, Number(id));
  throw new UsageError('workspaces takes list, create --name NAME or update ID');
}

async function list({ store, print }: Command): Promise<void> {
  const workspaces: Workspace[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = workspaces.at(-1);
    const after = last ? { after: { id: last.id } } : {};
    const page = await store.read.workspaces.list({ limit: 100, sort: 'id', ...after });
    workspaces.push(...page.items);
    hasMore = page.hasMore;
  }
  print(workspaces.map(shown), workspaces.map(lineOf));
}

async function create({ store, options, print }: Command): Promise<void> {
  if (!options.name) throw new UsageError('workspaces create needs --name NAME');
  const input = { name: options.name, ...changeOf(options) };
  const { workspace, key } = await store.transact((tx) =>
    createWorkspace(tx, { workspace: input, now: Date.now() }),
  );
  const lines = [lineOf(workspace), 'Its first key, shown once, stored nowhere:', key.key];
  print({ workspace: shown(workspace), key: key.key }, lines);
}

async function update({ store, options, print }: Command, id: number): Promise<void> {
  if (!Number.isSafeInteger(id))
    throw new UsageError('workspaces update takes the id of a workspace');
  const change = { ...(options.name ? { name: options.name } : {}), ...changeOf(options) };
  const workspace = await store.transact((tx) =>
    updateAnyWorkspace(tx, { id, patch: change, checkMatch: () => undefined }),
  );
  print(shown(workspace), [lineOf(workspace)]);
}

function changeOf(options: Options): { plan?: PlanId; limits?: Limits } {
  const { plan } = options;
  if (plan !== undefined && !(planIds as readonly string[]).includes(plan)) {
    throw new UsageError(`--plan takes one of ${planIds.join(', ')}`);
  }
  const perMinute = numberOf(options['per-minute'], '--per-minute');
  const perDay = numberOf(options['per-day'], '--per-day');
  if ((perMinute === undefined) !== (perDay === undefined)) {
    throw new UsageError('--per-minute and --per-day go together');
  }
  return {
    ...(plan === undefined ? {} : { plan: plan as PlanId }),
    ...(perMinute === undefined || perDay === undefined ? {} : { limits: { perMinute, perDay } }),
  };
}

function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 1_000_000_000))
    throw new UsageError(`${name} takes a number from 1 to 1000000000`);
  return value;
}

function shown(workspace: Workspace) {
  return { ...workspace, createdAt: formatInstant(workspace.createdAt) };
}

function lineOf({ id, name, plan, limits }: Workspace): string {
  return `${id}  ${plan}  ${limits.perMinute}/minute  ${limits.perDay}/day  ${name}`;
}
