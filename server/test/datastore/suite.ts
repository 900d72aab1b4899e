// What every storage engine must do, called in one line per engine.

import { afterAll, beforeAll, describe } from 'vitest';
import { isThorough } from '../support/effort.ts';
import type { Engine, OpenEngine } from './fixture.ts';
import { batchSuite } from './suite-batches.ts';
import { catalogueSuite } from './suite-catalogue.ts';
import { changeSuite, lateChangeSuite } from './suite-changes.ts';
import { eventSuite } from './suite-events.ts';
import { expirySuite } from './suite-expiry.ts';
import { leaseSuite } from './suite-leases.ts';
import { orderWordSuite } from './suite-order-words.ts';
import { recordsSuite } from './suite-records.ts';
import { stockHistorySuite } from './suite-stock-history.ts';
import { transactionSuite } from './suite-transactions.ts';
import { webhookSuite } from './suite-webhooks.ts';
import { wordSuite } from './suite-words.ts';

interface SuiteOptions {
  /** Another way to an engine that has the whole suite: only a thorough run fills it with thousands of rows. */
  isAnotherWay?: boolean;
}

export function datastoreSuite(
  name: string,
  open: OpenEngine,
  { isAnotherWay = false }: SuiteOptions = {},
): void {
  const takesMany = isThorough || !isAnotherWay;
  describe(`${name} as a datastore`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine?.close());
    const opened = () => engine;
    describe('catalogue', () => catalogueSuite(opened, takesMany));
    describe('changes', () => changeSuite(opened, takesMany));
    if (name === 'PostgreSQL') describe('late changes', () => lateChangeSuite(opened));
    describe('events', () => eventSuite(opened));
    describe('orders that expire', () => expirySuite(opened, takesMany));
    describe('leases', () => leaseSuite(opened));
    describe('webhooks', () => webhookSuite(opened));
    describe('transactions', () => transactionSuite(opened));
    describe('stock history', () => stockHistorySuite(opened, open));
    describe('records', () => recordsSuite(opened, open));
    // The last, because their ledger rows and orders do not agree with the stock.
    describe('words', () => wordSuite(opened, takesMany));
    describe('words of orders', () => orderWordSuite(opened, takesMany));
    describe('batches', () => batchSuite(opened));
  });
}
