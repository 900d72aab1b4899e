import { type FieldFault, Refusal } from '../domain/errors.ts';
import { type Limits, type PlanId, planIds } from '../domain/plan.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Position } from '../lib/cursor.ts';
import { bodyChecker } from '../operations/schemas/validator.ts';
import { SignUp } from '../operations/schemas/workspace.ts';
import { workspaceView } from '../operations/views/workspace.ts';
import { createWorkspace, updateAnyWorkspace } from '../services/workspaces.ts';
import { type Options, UsageError } from './command.ts';
import { noWorkspace, onStore, parseWorkspaceId } from './on-store.ts';

const checkSignUp = bodyChecker(SignUp, false);

/** The name of a workspace or a key, under the rules of the API. */
export function parseName(name: string): string {
  try {
    return (checkSignUp({ name }) as { name: string }).name;
  } catch (err) {
    if (!(err instanceof Refusal)) throw err;
    const [fault] = err.details as readonly [FieldFault];
    throw new UsageError(`--name ${fault.message}`);
  }
}

export const listWorkspaces = onStore(async ({ store, print }) => {
  const workspaces: Workspace[] = [];
  let after: Position | undefined;
  do {
    const page = await store.read.workspaces.list({ limit: 100, sort: 'id', after });
    workspaces.push(...page.items);
    after = page.end;
  } while (after);
  const now = Date.now();
  print(
    workspaces.map((each) => workspaceView(each, now)),
    workspaces.map(lineOf),
  );
});

export const createNewWorkspace = onStore(async ({ store, options, print }) => {
  const input = { name: parseName(options.name!), ...changeOf(options) };
  const { workspace, key } = await store.transact((tx) =>
    createWorkspace(tx, { workspace: input, now: Date.now() }),
  );
  const lines = [lineOf(workspace), 'Its first key, which is shown once:', key.key];
  print({ workspace: workspaceView(workspace, Date.now()), key: key.key }, lines);
});

export const updateOneWorkspace = onStore(async ({ store, argument, options, print }) => {
  const id = parseWorkspaceId(argument, 'workspaces update');
  if (!(await store.read.workspaces.find(id))) throw noWorkspace(id);
  const { name } = options;
  const change = {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...changeOf(options),
  };
  const workspace = await store.transact((tx) =>
    updateAnyWorkspace(tx, { id, patch: change, checkMatch: () => undefined, now: Date.now() }),
  );
  print(workspaceView(workspace, Date.now()), [lineOf(workspace)]);
});

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
    throw new UsageError(`${name} takes an integer from 1 to 1000000000`);
  return value;
}

function lineOf({ id, name, plan, limits }: Workspace): string {
  return `${id}  ${plan}  ${limits.perMinute}/minute  ${limits.perDay}/day  ${name}`;
}
