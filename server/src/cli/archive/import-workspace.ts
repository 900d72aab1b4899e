import { statSync } from 'node:fs';
import { configuredWebhooks } from '../../configured-webhooks.ts';
import { systemClock } from '../../lib/clock.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import { importWorkspace } from '../../services/archive/import-workspace.ts';
import type { StoreInvocation } from '../command.ts';
import { Progress } from '../copy.ts';
import { onStore } from '../on-store.ts';
import { plural } from '../plural.ts';

/** What takes less time needs no progress. */
const QUIET_MS = 2_000;

export const importFile = onStore(importArchive);

async function importArchive({ store, config, argument: file, print }: StoreInvocation) {
  const total = statSync(file).size;
  const startedAt = systemClock.now();
  const progress = new Progress();
  const onProgress = (step: string, done: number) => {
    if (systemClock.now() - startedAt >= QUIET_MS) progress.show(done, total, step);
  };
  const webhooks = await configuredWebhooks(config, { store, clock: systemClock });
  const seal = webhooks?.gateway.seal.bind(webhooks.gateway);
  const imported = importWorkspace(store, { file, clock: systemClock, seal, onProgress });
  const { workspace, key, records } = await imported
    .finally(() => progress.end())
    .catch((err: unknown) => {
      if (!(err instanceof BrokenArchive)) throw err;
      throw new BrokenArchive(`${file} is refused: ${err.message}; there is no new workspace`);
    });
  const { id: workspaceId, name } = workspace;
  print({ workspaceId, name, records, key: key.key }, [
    `workspace ${workspaceId}, ${name}, is imported: ${summaryOf(records)}`,
    ...(webhooks ? [] : ['webhooks stayed behind: set PETSTORE_SECRET_KEY to have them']),
    ...(records.webhooks ? ['its webhooks are disabled until their owner enables them'] : []),
    'Its first key, which is shown once:',
    key.key,
  ]);
}

function summaryOf({ pets = 0, orders = 0, ledger = 0 }: Record<string, number>): string {
  const parts = [plural(pets, 'pet'), plural(orders, 'order'), plural(ledger, 'row')];
  return `${parts.join(', ')} of the ledger`;
}
