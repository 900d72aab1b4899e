import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { startPostgres, type TestServer } from '../../support/servers.ts';
import { newWorkspace } from '../fixture.ts';

const WRITERS = 12;
/** Longer than a unit may wait for a connection, so that some are rejected. */
const OUTAGE_MS = 1_500;

describe('PostgreSQL restarted under load', () => {
  let server: TestServer;
  let store: PostgresDatastore;
  let workspaceId: number;
  let nextMinute = 1;
  beforeAll(async () => {
    server = await startPostgres();
    await migratePostgres(server.url);
    store = new PostgresDatastore(server.url, new Coalescer());
    workspaceId = await newWorkspace(store);
  });
  afterAll(async () => {
    await store?.close();
    await server?.stop();
  });

  /** Writes and reads until stopped, and records how each attempt ended. */
  function load() {
    const committed = new Set<number>();
    const failures: unknown[] = [];
    let isStopped = false;
    const writer = async () => {
      while (!isStopped) {
        const minute = nextMinute++;
        try {
          // Each unit has a count of its own, which would be 2 if the unit were committed twice.
          await store.transact((tx) =>
            tx.usage.addMinute(workspaceId, { minute, requests: 1, refused: 0 }),
          );
          committed.add(minute);
          await store.read.workspaces.find(workspaceId);
        } catch (err) {
          failures.push(err);
        }
        if (failures.length > 0) await pause(5);
      }
    };
    const writers = Array.from({ length: WRITERS }, writer);
    return {
      nextSuccess: async () => {
        const before = committed.size;
        while (committed.size === before) await pause(5);
      },
      stop: async () => {
        isStopped = true;
        await Promise.all(writers);
        return { committed, failures };
      },
    };
  }

  it.each([
    ['stopped cleanly', 'SIGINT'],
    ['stopped at once', 'SIGQUIT'],
    ['killed', 'SIGKILL'],
  ] as const)(
    'loses nothing, doubles nothing and serves again when it was %s',
    async (_, signal) => {
      const running = load();
      await running.nextSuccess();
      await pause(200);
      await server.kill(signal);
      await pause(OUTAGE_MS);
      await server.restart();
      await running.nextSuccess();
      await pause(200);
      const { committed, failures } = await running.stop();
      expect(failures.length).toBeGreaterThan(0);
      for (const failure of failures) expect(failure).toBeInstanceOf(StorageUnavailable);
      const stored = await store.read.usage.minutes(workspaceId, 0);
      expect(stored.filter(({ requests }) => requests !== 1)).toEqual([]);
      const minutes = new Set(stored.map(({ minute }) => minute));
      expect([...committed].filter((minute) => !minutes.has(minute))).toEqual([]);
    },
  );
});
