import { describe, expect, it } from 'vitest';
import { copyStore } from '../../src/services/maintenance/copy.ts';
import { openStoreAlone } from '../../src/stores.ts';
import { testApp } from '../support/app.ts';
import { createDatabase } from '../support/servers.ts';

describe('copy', () => {
  it('copies a store from SQLite to PostgreSQL, continues after an interruption, and compares every row', async () => {
    const app = await testApp({ engine: 'sqlite' });
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs', description: 'Ünïcödé 🐕' } });
    const stamps: number[] = [];
    for (let n = 1; n <= 620; n++) {
      stamps.push(app.clock.now());
      await app.call('POST', '/v1/pets', { body: { name: `Pet ${n}`, categoryId: 1 } });
    }
    const headers = { 'idempotency-key': 'kept' };
    await app.call('POST', '/v1/store/orders', { body: { petId: 1 }, headers });
    await app.call('DELETE', '/v1/pets/2');
    await app.stop({ isFolderKept: true });

    await using from = await openStoreAlone(app.config.PETSTORE_DATA_DIR);
    const url = await createDatabase();
    await using to = await openStoreAlone(url);
    let steps = 0;
    const interrupted = copyStore(from.store, to.store, ({ table }) => {
      if (table === 'pets' && ++steps === 1) throw new Error('interrupted');
    });
    await expect(interrupted).rejects.toThrow('interrupted');
    const result = await copyStore(from.store, to.store, () => undefined);
    expect(result.differences).toEqual([]);
    expect(result.equal).toBeGreaterThan(620 * 2);
    const [first, last] = [1, 500].map((n) => stamps[n]!);
    for (const asOf of [0, first!, last!, Date.now() + 60_000]) {
      const stockThen = ({ store }: typeof from) =>
        store.read.stockHistory.list(1, { asOf }, { limit: 1_000, sort: 'id' });
      expect(await stockThen(to)).toEqual(await stockThen(from));
    }
    const nextId = await to.store.transact((tx) =>
      tx.categories.create(1, { name: 'Cats' }).then((category) => category?.id),
    );
    expect(nextId).toBe(2);
  });

  it('reports what differs and overwrites nothing', async () => {
    await using one = await openStoreAlone(await createDatabase());
    await using two = await openStoreAlone(await createDatabase());
    const workspace = {
      name: 'a',
      plan: 'free',
      limits: { perMinute: 1, perDay: 1 },
      createdAt: 1,
    } as const;
    await one.store.transact((tx) => tx.workspaces.create(workspace));
    await two.store.transact((tx) => tx.workspaces.create({ ...workspace, name: 'b' }));
    const { differences } = await copyStore(one.store, two.store, () => undefined);
    expect(differences).toHaveLength(1);
    expect(differences[0]).toContain('workspaces');
  });
});
