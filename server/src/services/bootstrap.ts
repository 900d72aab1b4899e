import type { Datastore } from '../datastore/datastore.ts';
import { scopes } from '../domain/key.ts';
import { limitsOf } from '../domain/plan.ts';
import { createKey } from './keys.ts';

interface Bootstrap {
  /** The text of the first key; generated if undefined. */
  keyText: string | undefined;
  now: number;
}

/** Creates one workspace and one key with all scopes in an empty database. Returns the key, or undefined if the database was not empty. */
export function bootstrap(
  store: Datastore,
  { keyText, now }: Bootstrap,
): Promise<string | undefined> {
  return store.transact(async (tx) => {
    if (!(await tx.workspaces.isFirst())) return undefined;
    const plan = 'free';
    const limits = limitsOf(plan, undefined);
    const workspace = await tx.workspaces.create({ name: 'default', plan, limits, createdAt: now });
    const { key } = await createKey(tx, {
      workspaceId: workspace.id,
      key: { name: 'first key', scopes },
      now,
      ...(keyText === undefined ? {} : { text: keyText }),
    });
    return key;
  });
}
