import { expect, it } from 'vitest';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { saveBan } from '../../../src/services/limits.ts';
import { createMigratedDatabase } from '../../support/servers.ts';
import { NOW, newWorkspace } from '../fixture.ts';
import { readFeed } from '../suite-events.ts';
import { untilLockIsAwaited } from './locks.ts';

it('reports a ban once that two nodes save at the same time', async () => {
  const url = await createMigratedDatabase();
  const open = () => new PostgresDatastore(url, new Coalescer(), { timeoutFactor: 20 });
  const [first, second] = [open(), open()];
  const workspaceId = await newWorkspace(first);
  const keyId = 'AAAAAAAAAAAA';
  const key = { id: keyId, workspaceId, name: 'till', hint: 'psk_', scopes: [], createdAt: NOW };
  await first.transact((tx) => tx.keys.create(key, 'digest'));
  const until = NOW + 60_000;
  const ban = { keyId, workspaceId, since: NOW, until, strikes: 1, quietSince: until };
  let saving: Promise<void> | undefined;
  await first.transact(async (tx) => {
    await saveBan(tx, ban);
    saving ??= second.transact((other) => saveBan(other, ban));
    await untilLockIsAwaited(url);
  });
  await saving;
  expect((await readFeed(first, workspaceId)).map(({ type }) => type)).toEqual(['ban.started']);
  await Promise.all([first.close(), second.close()]);
});
