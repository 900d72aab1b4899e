import { beforeAll, expect, it } from 'vitest';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { Writer } from '../../src/http/writer.ts';
import { createCategory } from '../../src/operations/categories/create-category.ts';
import { ChangeLog } from '../../src/services/cluster/change-log.ts';
import { EventHub } from '../../src/services/events/event-hub.ts';
import { openStore } from '../../src/stores.ts';
import { type TestApp, testApp } from '../support/app.ts';

const response = { status: 201, headers: {}, body: '{}' };
let app: TestApp;
let store: Datastore;

beforeAll(async () => {
  app = await testApp();
  ({ store } = await openStore(app.config));
  return () => store.close();
});

const refuseWrongClock = () => undefined;

function requestWith(headers: Record<string, string>) {
  return { id: 'one', method: 'POST', headers, raw: { url: '/' }, state: {} } as never;
}

/** A writer, and what was reported to have failed after a commit. */
function newWriter(hub = new EventHub({ store, onFailure: () => undefined })) {
  const failures: unknown[] = [];
  const changes = new ChangeLog({ changes: store.read.changes, onFailure: () => undefined });
  const onFailure = (err: unknown) => void failures.push(err);
  return {
    failures,
    writer: new Writer({ store, changes, readCache: undefined, hub, refuseWrongClock, onFailure }),
  };
}

const write = (name: string) => ({
  operation: createCategory,
  workspaceId: 1,
  keyPrefix: '',
  now: app.clock.now(),
  run: async (tx: Parameters<Parameters<Datastore['transact']>[0]>[0]) => {
    await tx.categories.create(1, { name });
    return { response };
  },
});

async function names(): Promise<string[]> {
  const { items } = await store.read.categories.list(1, {}, { limit: 100, sort: 'id' });
  return items.map(({ name }) => name);
}

it.each([{}, { 'idempotency-key': 'one' }])(
  'a write is acknowledged although what follows its commit fails, with headers %o',
  async (headers) => {
    const fault = new Error('afterwards');
    const { writer, failures } = newWriter();
    const name = `committed ${JSON.stringify(headers)}`;
    const afterCommit = () => Promise.reject(fault);
    const result = await writer.write(requestWith(headers), { ...write(name), afterCommit });
    expect(result.response).toEqual(response);
    expect(await names()).toContain(name);
    expect(failures).toEqual([fault]);
  },
);

it('a write is acknowledged although its listeners cannot be notified', async () => {
  const fault = new Error('no listener');
  class FailingHub extends EventHub {
    override notify(): void {
      throw fault;
    }
  }
  const { writer, failures } = newWriter(new FailingHub({ store, onFailure: () => undefined }));
  const result = await writer.write(requestWith({}), write('notified'));
  expect(result.response).toEqual(response);
  expect(failures).toEqual([fault]);
});

it('an action is answered although its response cannot be stored', async () => {
  const { store: other } = await openStore(app.config);
  const changes = new ChangeLog({ changes: store.read.changes, onFailure: () => undefined });
  const failures: unknown[] = [];
  const writer = new Writer({
    store: other,
    changes,
    readCache: undefined,
    hub: new EventHub({ store, onFailure: () => undefined }),
    refuseWrongClock,
    onFailure: (err) => void failures.push(err),
  });
  const run = async () => {
    await other.close();
    return response;
  };
  const action = { operation: createCategory, workspaceId: 1, now: app.clock.now(), run };
  expect(await writer.act(requestWith({ 'idempotency-key': 'act' }), action)).toEqual(response);
  expect(failures).toHaveLength(1);
});
