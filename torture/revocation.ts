// Revokes keys on one node and asks another one until it refuses them: that must take at most a second.

import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startRedis } from '../server/test/support/servers.ts';
import { Client } from './client.ts';
import { Service } from './service.ts';
import { newStore } from './store.ts';

export interface RevocationReport {
  /** From the answer of the revocation until the other node refused the key. */
  noticedMs: number[];
  faults: string[];
}

const NOTICED_MAX_MS = 1_100;
const GIVE_UP_MS = 60_000;

export async function revokeKeys(options: {
  keys: number;
  onKey?: (done: number) => void;
}): Promise<RevocationReport> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const urls = { PETSTORE_DATABASE_URL: postgres.url, PETSTORE_VALKEY_URL: redis.url };
  const store = await newStore(urls);
  const nodes = [await Service.start(store), await Service.start(store)] as const;
  const report: RevocationReport = { noticedMs: [], faults: [] };
  try {
    for (let done = 1; done <= options.keys; done++) {
      const ms = await revokeOne(nodes, store.apiKey);
      report.noticedMs.push(ms);
      if (ms > NOTICED_MAX_MS) report.faults.push(`a key was accepted for ${Math.round(ms)} ms`);
      options.onKey?.(done);
    }
    return report;
  } finally {
    await Promise.all(nodes.map((node) => node.end('SIGTERM')));
    await Promise.all([postgres.stop(), redis.stop()]);
    store.remove();
  }
}

async function revokeOne(nodes: readonly [Service, Service], apiKey: string): Promise<number> {
  const manager = new Client(nodes[0].port, apiKey);
  const created = await manager.send({
    method: 'POST',
    path: '/v1/keys',
    body: { name: 'short-lived', scopes: ['read'] },
  });
  if (created.kind !== 'answer' || created.status !== 201) {
    throw new Error(`a key could not be created: ${JSON.stringify(created)}`);
  }
  const { id, key } = created.body as { id: string; key: string };
  const user = new Client(nodes[1].port, key);
  await user.get('/v1/workspace');
  const revoked = await manager.send({ method: 'DELETE', path: `/v1/keys/${id}` });
  if (revoked.kind !== 'answer' || revoked.status !== 204) {
    throw new Error(`a key could not be revoked: ${JSON.stringify(revoked)}`);
  }
  const revokedAt = performance.now();
  while (performance.now() - revokedAt < GIVE_UP_MS) {
    const reply = await user.send({ method: 'GET', path: '/v1/workspace' });
    if (reply.kind === 'answer' && reply.status === 401) break;
    await pause(10);
  }
  manager.close();
  user.close();
  return performance.now() - revokedAt;
}
