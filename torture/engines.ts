// What a run keeps its stores in, and how that is broken.

import { randomBytes } from 'node:crypto';
import { onDatabase, startPostgres, startRedis } from '../server/test/support/servers.ts';
import { settingsBehind, startPgBouncer } from '../server/test/support/topologies.ts';
import type { CrashOptions } from './crash.ts';
import { newStore, type Store } from './store.ts';

export type Engine = Pick<CrashOptions, 'alsoBreak'> & {
  newStore: (environment?: Record<string, string>) => Promise<Store>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export function onSqlite(): Engine {
  return { newStore, [Symbol.asyncDispose]: async () => undefined };
}

type Pooling = 'session' | 'transaction';

/**
 * Starts a PostgreSQL, with a PgBouncer in front of it if the pooling is given. Every second kill of the service stops
 * PostgreSQL too, with an immediate shutdown.
 */
export async function onPostgres(pooling?: Pooling): Promise<Engine> {
  const server = await startPostgres({ isDurable: true });
  const pooler = pooling && (await startPgBouncer(server.url, pooling));
  let stores = 0;
  let kills = 0;
  return {
    newStore: async (environment = {}) => {
      stores += 1;
      const name = `torture_${stores}`;
      await onDatabase(server.url, (client) => client.query(`CREATE DATABASE ${name}`));
      const url = new URL((pooler ?? server).url);
      url.pathname = name;
      const database = pooling
        ? settingsBehind(url.href, pooling)
        : { PETSTORE_DATABASE_URL: url.href };
      return newStore({ ...environment, ...database });
    },
    alsoBreak: async () => {
      kills += 1;
      if (kills % 2 === 0) return;
      await server.kill('SIGQUIT');
      await server.restart();
    },
    [Symbol.asyncDispose]: async () => {
      await pooler?.stop();
      await server.stop();
    },
  };
}

/** A PostgreSQL and a Redis for several nodes. They are broken in turn. */
export async function onCluster(pooling?: Pooling): Promise<Engine> {
  const [postgres, redis] = await Promise.all([onPostgres(pooling), startRedis()]);
  let breaks = 0;
  return {
    newStore: (environment = {}) =>
      postgres.newStore({
        ...environment,
        PETSTORE_VALKEY_URL: redis.url,
        PETSTORE_SECRET_KEY: randomBytes(32).toString('base64'),
      }),
    alsoBreak: async () => {
      breaks += 1;
      if (breaks % 2 === 0) return postgres.alsoBreak!();
      await redis.kill('SIGKILL');
      await redis.restart();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([postgres[Symbol.asyncDispose](), redis.stop()]);
    },
  };
}
