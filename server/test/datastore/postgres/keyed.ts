import type { Datastore, Transaction } from '../../../src/datastore/datastore.ts';
import { Claim } from '../../../src/datastore/idempotency.ts';
import { NOW } from '../fixture.ts';

export interface KeyedRun {
  workspaceId: number;
  key: string;
  fingerprint?: string;
  now?: number;
  /** Returns the body of the response. */
  work: (tx: Transaction) => Promise<string>;
}

/** Claims the key, does the work and stores its outcome, as a request with an Idempotency-Key does. */
export async function runKeyed(
  store: Datastore,
  { workspaceId, key, fingerprint = 'one', now = NOW, work }: KeyedRun,
) {
  let runs = 0;
  const outcome = await store.transact(
    async (tx) => {
      runs += 1;
      const claim = await tx.idempotency.claim(workspaceId, key, fingerprint, now);
      if (!(claim instanceof Claim)) return claim;
      const body = await tx.attempt(() => work(tx));
      await claim.store({ status: 201, headers: {}, body });
      return body;
    },
    { workspaceId },
  );
  return { outcome, runs };
}
