import type { Limits, PlanId } from '../../../src/domain/plan.ts';
import type { Answer, TestApp } from '../../support/app.ts';

export interface NewWorkspace {
  id: number;
  keyId: string;
  key: string;
  /** A counted request with its key, or another one. */
  ask(path?: string, options?: { method?: string; key?: string }): Promise<Answer<AnyBody>>;
  /** So many of them, one after the other: their statuses. */
  spend(count: number, options?: { key?: string }): Promise<number[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects.
type AnyBody = any;

/** A workspace of its own, made by the operator; on plan Free unless something else is asked for. */
export async function newWorkspace(
  app: TestApp,
  input: { name?: string; plan?: PlanId; limits?: Limits } = {},
): Promise<NewWorkspace> {
  const body = { name: 'a store', ...input };
  const created = await app.call('POST', '/v1/admin/workspaces', { body });
  if (created.status !== 201) throw new Error(created.text);
  const { workspace, key } = created.body;
  const ask: NewWorkspace['ask'] = (path = '/v1/categories', options = {}) =>
    app.call(options.method ?? 'GET', path, { key: options.key ?? key.key });
  const spend: NewWorkspace['spend'] = async (count, options = {}) => {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push((await ask(undefined, options)).status);
    return statuses;
  };
  return { id: workspace.id, keyId: key.id, key: key.key, ask, spend };
}

export function count<T>(values: readonly T[], wanted: T): number {
  return values.filter((value) => value === wanted).length;
}
