import type { Datastore } from '../datastore/datastore.ts';
import { scopes } from '../domain/key.ts';
import { limitsOf } from '../domain/plan.ts';
import { generateApiKey } from '../lib/api-key.ts';
import { createKey } from './keys.ts';
import { recordAudit } from './logs/audit.ts';

interface Bootstrap {
  now: number;
  /** The text of the first key; generated if undefined. */
  keyText?: string | undefined;
  /** Called before the key is committed. If it throws, nothing is kept: a key that was not shown would be lost. */
  announce?: (key: string) => void;
}

/**
 * Creates one workspace and one key with all scopes in an empty database. Returns the key, or undefined if the database
 * was not empty.
 */
export async function bootstrap(
  store: Datastore,
  { now, keyText = generateApiKey().key, announce }: Bootstrap,
): Promise<string | undefined> {
  let isAnnounced = false;
  return store.transact(async (tx) => {
    if (!(await tx.workspaces.lockIfEmpty())) return undefined;
    const plan = 'free';
    const limits = limitsOf(plan, undefined);
    const workspace = await tx.workspaces.create({ name: 'default', plan, limits, createdAt: now });
    const { id: workspaceId, name } = workspace;
    const after = { name, plan, limits };
    await recordAudit(tx, {
      workspaceId,
      action: 'workspace.created',
      target: 'workspace',
      after,
      now,
    });
    const key = { name: 'first key', scopes };
    await createKey(tx, { workspaceId: workspace.id, key, now, text: keyText });
    // The datastore may run a unit of work again.
    if (!isAnnounced) announce?.(keyText);
    isAnnounced = true;
    return keyText;
  });
}
