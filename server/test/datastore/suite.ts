// What every storage engine must do, called in one line per engine.

import { afterAll, beforeAll, describe } from 'vitest';
import type { Engine, OpenEngine } from './fixture.ts';
import { catalogueSuite } from './suite-catalogue.ts';
import { eventSuite } from './suite-events.ts';
import { recordsSuite } from './suite-records.ts';
import { transactionSuite } from './suite-transactions.ts';
import { webhookSuite } from './suite-webhooks.ts';

export function datastoreSuite(name: string, open: OpenEngine): void {
  describe(`${name} as a datastore`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine?.close());
    const opened = () => engine;
    describe('catalogue', () => catalogueSuite(opened));
    describe('events', () => eventSuite(opened));
    describe('webhooks', () => webhookSuite(opened));
    describe('transactions', () => transactionSuite(opened));
    describe('records', () => recordsSuite(opened, open));
  });
}
