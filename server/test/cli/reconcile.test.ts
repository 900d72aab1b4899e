import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/app.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { reconcile } from '../../src/services/reconcile.ts';
import { type TestApp, testApp } from '../support/app.ts';

describe('reconcile', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ engine: 'sqlite' });
    await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
    for (const name of ['Rex', 'Bello', 'Lassie']) {
      await app.call('POST', '/v1/pets', { body: { name, categoryId: 1 } });
      await app.call('PATCH', '/v1/inventory/1', { body: { quantity: 5 } });
    }
    await app.call('POST', '/v1/store/orders', { body: { petId: 1, quantity: 2 } });
  });

  it('finds nothing in a store that only the service has touched', async () => {
    const { found } = await onStore((store) => reconcile(store, false, Date.now()));
    expect(found).toEqual({ reserved: [], ledger: [], links: [] });
  });

  it('finds counts that do not follow from orders and ledger, and leaves them alone', async () => {
    tamper('UPDATE pets SET quantity = 9 WHERE id = 1; UPDATE pets SET reserved = 1 WHERE id = 2');
    const { found } = await onStore((store) => reconcile(store, false, Date.now()));
    expect(found.reserved).toEqual([{ petId: 2, reserved: 1, openOrders: 0 }]);
    expect(found.ledger.map(({ petId }) => petId)).toEqual([1, 2]);
    const again = await onStore((store) => reconcile(store, false, Date.now()));
    expect(again.found).toEqual(found);
  });

  it('repairs by correcting rows: orders decide what is reserved, the count what is there', async () => {
    const { left } = await onStore((store) => reconcile(store, true, Date.now()));
    expect(left).toEqual({ reserved: [], ledger: [], links: [] });
    const items = await app.call('GET', '/v1/inventory');
    expect(items.body.map((item: { quantity: number }) => item.quantity)).toEqual([9, 1, 1]);
    expect(items.body.map((item: { reserved: number }) => item.reserved)).toEqual([2, 0, 0]);
    const ledger = await app.call('GET', '/v1/inventory/1/movements?sort=-id&limit=1');
    expect(ledger.body[0]).toMatchObject({
      cause: 'adjusted',
      reason: 'reconcile',
      quantityAfter: 9,
    });
  });

  it('says which rows of a ledger do not follow from the one before', async () => {
    tamper('UPDATE movements SET quantity_before = quantity_before + 1 WHERE id = 1');
    const { found } = await onStore((store) => reconcile(store, false, Date.now()));
    expect(found.links).toEqual([{ movementId: 1, petId: 1 }]);
  });

  async function onStore<T>(work: (store: Datastore) => Promise<T>): Promise<T> {
    const { store } = await openStore(app.config);
    return work(store).finally(() => store.close());
  }

  function tamper(sql: string): void {
    const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`);
    db.exec(sql);
    db.close();
  }
});
