// A script whose reply is lost may have been run. It is never sent again, whatever the topology.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { findServerPrograms } from '../../support/server-programs.ts';
import { answersPing, newFolder, onRedis, startRedis, startServer } from '../../support/servers.ts';
import { LimitDatabase } from '../limit-database.ts';
import { isShared, openNode, workspaceIds } from './valkey-server.ts';

const nextWorkspace = workspaceIds();

/** Passes everything on. While it loses replies, it closes a connection in place of its next reply. */
async function lossyProxy(target: () => number) {
  const proxy = { port: 0, isLosing: false, sent: '' };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target(), '127.0.0.1').on('error', () => client.destroy());
    sockets.add(client.on('error', () => upstream.destroy()));
    client.on('close', () => upstream.destroy());
    client.on('data', (bytes) => {
      proxy.sent += bytes.toString('latin1');
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => (proxy.isLosing ? client.destroy() : client.write(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

async function newRedis(settings: readonly string[] = []) {
  const redis = await startRedis({ settings });
  onTestFinished(() => redis.stop());
  return redis;
}

const topologies = {
  server: async () => {
    const redis = await newRedis();
    const proxy = await lossyProxy(() => redis.port);
    return { redis, proxy, url: `redis://127.0.0.1:${proxy.port}` };
  },
  sentinel: async () => {
    const redis = await newRedis();
    const proxy = await lossyProxy(() => redis.port);
    const port = await freePort();
    const folder = newFolder('petstore-sentinel-', {});
    const file = join(folder.path, 'sentinel.conf');
    writeFileSync(file, `port ${port}\nsentinel monitor main 127.0.0.1 ${proxy.port} 1\n`);
    const sentinel = await startServer({
      command: [findServerPrograms().redis, file, '--sentinel'],
      owner: {},
      folder,
      url: '',
      port,
      isReady: () => answersPing(port),
      stopSignal: 'SIGTERM',
      endSignal: 'SIGKILL',
    });
    onTestFinished(() => sentinel.stop());
    return { redis, proxy, url: `redis+sentinel://127.0.0.1:${port}/main` };
  },
  cluster: async () => {
    let redisPort = 0;
    const proxy = await lossyProxy(() => redisPort);
    const bus = ['--cluster-port', `${await freePort()}`];
    const announced = ['--cluster-announce-port', `${proxy.port}`];
    const redis = await newRedis(['--cluster-enabled', 'yes', ...bus, ...announced]);
    redisPort = redis.port;
    await onRedis(redis.url, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    return { redis, proxy, url: `redis+cluster://127.0.0.1:${proxy.port}` };
  },
};

test.each(Object.entries(topologies))('with one %s', async (_, start) => {
  const { redis, proxy, url } = await start();
  const { limiter } = await openNode({ url, store: new LimitDatabase().connect() });
  onTestFinished(() => limiter.close());
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000_000, perDay: 1_000 };
  const caller = { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
  // A new Cluster takes a moment until it serves its slots.
  await isShared(limiter);
  await limiter.admit(caller, 1);
  await expect.poll(() => onRedis(redis.url, 'EXISTS', `petstore:{w:${workspaceId}}`)).toBe(1);
  const key = `petstore:{w:${workspaceId}}`;
  const sentBefore = proxy.sent.split(key).length;
  proxy.isLosing = true;
  expect((await limiter.admit(caller, 1)).refusal).toBeUndefined();
  await isShared(limiter, false);
  proxy.isLosing = false;
  await isShared(limiter);
  // Once for the request whose reply was lost, and never again. If a check of the server was lost before, not even once.
  const sent = proxy.sent.split(key).length - sentBefore;
  expect(sent).toBeLessThanOrEqual(1);
  expect(await onRedis(redis.url, 'HGET', key, 'du')).toBe(String(1 + sent));
  // The node has decided by itself about the same request, and both counts become one.
  expect((await limiter.peek(caller)).windows[1]!.remaining).toBe(1_000 - 2);
});
