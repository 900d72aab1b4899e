import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/datastore/datastore.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { type CommitFault, PostgresProxy } from '../../support/postgres-proxy.ts';
import { createDatabase } from '../../support/servers.ts';
import { NOW, newShop, placeIn, why } from '../fixture.ts';
import { type KeyedRun as Run, runKeyed as runUnderKey } from './keyed.ts';
import { untilLockIsAwaited } from './locks.ts';

const DAY_MS = 24 * 3_600_000;
const page = { sort: 'id', limit: 100 } as const;

describe('a unit under an idempotency key on PostgreSQL', () => {
  let url: string;
  let proxy: PostgresProxy;
  let store: PostgresDatastore;
  let other: PostgresDatastore;
  let workspaceId: number;
  let petId: number;
  let keys = 0;
  beforeAll(async () => {
    url = await createDatabase();
    await migratePostgres(url);
    proxy = await PostgresProxy.start(url);
    store = new PostgresDatastore(proxy.url, new Coalescer(), { timeoutFactor: 10 });
    other = new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 10 });
    const stock = { quantity: 1_000, reserved: 0, held: false };
    ({ workspaceId, petId } = await newShop(store, stock));
  });
  afterAll(async () => {
    await store?.close();
    await other?.close();
    await proxy?.stop();
  });

  const newKey = () => `key ${++keys}`;
  const order = () => ({ petId, quantity: 1, complete: false });

  const placeOrder = async (tx: Transaction) =>
    String(await placeIn(tx, workspaceId, order(), why));

  type Options = Partial<Run> & { key: string; through?: PostgresDatastore };

  function runKeyed({ through = store, ...run }: Options) {
    return runUnderKey(through, { workspaceId, work: placeOrder, ...run });
  }

  async function orderIds(): Promise<number[]> {
    const { items } = await store.read.orders.list(workspaceId, {}, { ...page, sort: '-id' });
    return items.map(({ id }) => id);
  }

  it('takes one round trip for its work and one for its commit', async () => {
    await runKeyed({ key: newKey() });
    const before = proxy.batches;
    const { outcome, runs } = await runKeyed({ key: newKey() });
    expect(proxy.batches - before).toBe(2);
    expect(runs).toBe(1);
    expect(await orderIds()).toContain(Number(outcome));
  });

  it('is given the stored answer when the key was used before, and changes nothing', async () => {
    const key = newKey();
    const { outcome } = await runKeyed({ key });
    const before = await orderIds();
    const repeated = await runKeyed({ key, through: other });
    expect(repeated.outcome).toMatchObject({ status: 201, body: outcome });
    expect(await orderIds()).toEqual(before);
  });

  it('is refused the key of another request', async () => {
    const key = newKey();
    await runKeyed({ key });
    expect((await runKeyed({ key, fingerprint: 'two' })).outcome).toBe('reused');
  });

  it('learns of the used key also where its work fails before it sends anything', async () => {
    const key = newKey();
    await runKeyed({ key });
    const work = () => Promise.reject(new Error('invalid'));
    expect((await runKeyed({ key, fingerprint: 'two', work })).outcome).toBe('reused');
    await expect(runKeyed({ key: newKey(), work })).rejects.toThrow('invalid');
  });

  it('never mistakes the used key for a violation of its own work', async () => {
    const key = newKey();
    const { outcome } = await runKeyed({ key });
    const category = await store.transact((tx) => tx.categories.create(workspaceId, { name: 'A' }));
    const work = async (tx: Transaction) => {
      const isFree = await tx.categories.update(workspaceId, { ...category!, name: 'B' });
      return isFree ? 'renamed' : 'name taken';
    };
    expect((await runKeyed({ key, work })).outcome).toMatchObject({ body: outcome });
  });

  it('takes over a key whose answer is no longer kept', async () => {
    const key = newKey();
    const first = await runKeyed({ key });
    const second = await runKeyed({ key, fingerprint: 'two', now: NOW + DAY_MS });
    expect(second.outcome).not.toEqual(first.outcome);
    expect(await orderIds()).toEqual(
      expect.arrayContaining([Number(first.outcome), Number(second.outcome)]),
    );
  });

  it('takes effect once when it is sent many times at the same moment', async () => {
    const key = newKey();
    const before = await orderIds();
    const nodes = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? store : other));
    const runs = await Promise.all(nodes.map((through) => runKeyed({ key, through })));
    const after = await orderIds();
    expect(after).toHaveLength(before.length + 1);
    const bodies = runs.map(({ outcome }) =>
      typeof outcome === 'string' ? outcome : (outcome as { body: string }).body,
    );
    expect(new Set(bodies)).toEqual(new Set([String(after[0])]));
  });

  it.each<CommitFault>(['lose answer', 'lose request', 'delay request'])(
    'takes effect once, with its answer stored, when the network decides to %s',
    async (fault) => {
      const key = newKey();
      const before = await orderIds();
      proxy.fault = fault;
      const running = runKeyed({ key });
      if (fault === 'delay request') {
        // The first run still holds its rows on the server, and the second waits for them.
        await untilLockIsAwaited(url);
        expect(await proxy.deliver()).toContain('23505');
      }
      const { outcome } = await running;
      expect(proxy.fault).toBeUndefined();
      expect(await orderIds()).toEqual([Number(outcome), ...before]);
      expect((await runKeyed({ key })).outcome).toMatchObject({ body: outcome });
    },
  );
});
