import type { Datastore } from '../datastore/datastore.ts';
import { scopes } from '../domain/key.ts';
import { limitsOf } from '../domain/plan.ts';
import { createKey } from './keys.ts';

/** Creates one workspace and one key with all scopes in an empty database. Returns the key, or undefined if there was a workspace. */
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
