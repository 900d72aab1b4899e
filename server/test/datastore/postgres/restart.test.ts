import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageUnavailable } from '../../../src/datastore/failures.ts';
import { migratePostgres } from '../../../src/datastore/postgres/migrate.ts';
import { PostgresDatastore } from '../../../src/datastore/postgres/postgres-datastore.ts';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { startPostgres, type TestServer } from '../../support/servers.ts';
import { newWorkspace } from '../fixture.ts';

const WRITERS = 12;

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

  /** Writes and reads without pause until told to stop, noting how each attempt ended. */
  function load() {
    const kept = new Set<number>();
    const failures: unknown[] = [];
    let slowestMs = 0;
    let lastKeptAt = 0;
    let isStopped = false;
    const writer = async () => {
      while (!isStopped) {
        const minute = nextMinute++;
        const startedAt = performance.now();
        try {
          // A count of its own for each unit: were a unit kept twice, the count would say so.
          await store.transact((tx) => tx.usage.addMinute(workspaceId, { minute, requests: 1 }));
          kept.add(minute);
          lastKeptAt ||= performance.now();
          await store.read.workspaces.find(workspaceId);
        } catch (err) {
          failures.push(err);
        }
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        if (failures.length > 0) await pause(5);
      }
    };
    const writers = Array.from({ length: WRITERS }, writer);
    return {
      /** Resolves with the moment of the next success. */
      nextSuccess: async () => {
        lastKeptAt = 0;
        while (lastKeptAt === 0) await pause(5);
        return lastKeptAt;
      },
      stop: async () => {
        isStopped = true;
        await Promise.all(writers);
        return { kept, failures, slowestMs };
      },
    };
  }

  it.each([
    ['stopped cleanly', 'SIGINT'],
    ['stopped at once', 'SIGQUIT'],
    ['killed', 'SIGKILL'],
  ] as const)(
    'loses nothing, doubles nothing and is back within a second when it was %s',
    async (_, signal) => {
      const running = load();
      await running.nextSuccess();
      await pause(200);
      await server.kill(signal);
      await pause(300);
      await server.restart();
      const backAt = performance.now();
      const recoveredMs = (await running.nextSuccess()) - backAt;
      await pause(200);
      const { kept, failures, slowestMs } = await running.stop();
      expect(recoveredMs).toBeLessThan(1_000);
      expect(slowestMs).toBeLessThan(2_000);
      expect(failures.length).toBeGreaterThan(0);
      for (const failure of failures) expect(failure).toBeInstanceOf(StorageUnavailable);
      const stored = await store.read.usage.minutes(workspaceId, 0);
      expect(stored.filter(({ requests }) => requests !== 1)).toEqual([]);
      const minutes = new Set(stored.map(({ minute }) => minute));
      expect([...kept].filter((minute) => !minutes.has(minute))).toEqual([]);
    },
  );
});
