import type { Datastore } from '../datastore/datastore.ts';
import { scopes } from '../domain/key.ts';
import { limitsOf } from '../domain/plan.ts';
import { createKey } from './keys.ts';

/** On an empty database: one workspace, one key with all scopes. The key, or undefined when there was one. */
export function bootstrap(
  store: Datastore,
  given: string | undefined,
  now: number,
): Promise<string | undefined> {
  return store.transact(async (tx) => {
    if (!(await tx.workspaces.isFirst())) return undefined;
    const plan = 'free';
    const limits = limitsOf(plan, undefined);
    const workspace = await tx.workspaces.create({ name: 'default', plan, limits, createdAt: now });
    const created = await createKey(tx, workspace.id, { name: 'first key', scopes }, now, given);
    return created.key;
  });
}
