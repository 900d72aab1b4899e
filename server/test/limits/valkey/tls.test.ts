// A Cluster, and a master with a Sentinel, that speak TLS alone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newCertificate } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/redis-topologies.ts';
import { findServerPrograms } from '../../support/server-programs.ts';
import { newFolder, onRedis, startServer } from '../../support/servers.ts';
import { openNode, workspaceIds } from './valkey-server.ts';

const nextWorkspace = workspaceIds();

const { key, cert } = newCertificate();

beforeAll(() => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  return () => setDefaultCACertificates(before);
});

/** A Redis that listens with TLS alone, under a certificate of localhost that this process trusts. */
async function startTlsRedis(options: { lines?: string[]; args?: string[] } = {}) {
  const folder = newFolder('petstore-tls-', {});
  const port = await freePort();
  const pathOf = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  const lines = [
    'port 0',
    `tls-port ${port}`,
    'bind 127.0.0.1 ::1',
    `tls-cert-file ${pathOf('cert.pem', cert)}`,
    `tls-key-file ${pathOf('key.pem', key)}`,
    `tls-ca-cert-file ${pathOf('ca.pem', cert)}`,
    'tls-auth-clients no',
    'tls-replication yes',
    ...(options.lines ?? []),
  ];
  const { redis } = findServerPrograms();
  const url = `rediss://localhost:${port}`;
  const isReady = () =>
    onRedis(url, 'PING').then(
      () => true,
      () => false,
    );
  const server = await startServer({
    command: [redis, pathOf('redis.conf', `${lines.join('\n')}\n`), ...(options.args ?? [])],
    owner: {},
    folder,
    url,
    port,
    isReady,
    stopSignal: 'SIGTERM',
    endSignal: 'SIGKILL',
  });
  onTestFinished(() => server.stop());
  return server;
}

async function countOn(url: string): Promise<void> {
  const workspaceId = nextWorkspace();
  const limits = { perMinute: 1_000, perDay: 3 };
  const caller = { keyId: `${workspaceId}.a`, workspaceId, scopes: [], limits };
  const nodes = [await openNode({ url }), await openNode({ url })];
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.limiter.close()))));
  // On a busy machine the first attempt to connect may fail.
  for (const { failures } of nodes) failures.length = 0;
  let admitted = 0;
  for (let sent = 0; sent < 8; sent++) {
    if (!(await nodes[sent % 2]!.limiter.admit(caller, 1)).refusal) admitted += 1;
  }
  expect(admitted).toBe(3);
  expect(nodes.flatMap((node) => node.failures)).toEqual([]);
}

test('rediss+cluster reaches every server of a Cluster with TLS', async () => {
  const lines = [
    'cluster-enabled yes',
    'tls-cluster yes',
    `cluster-port ${await freePort()}`,
    'cluster-announce-hostname localhost',
    'cluster-preferred-endpoint-type hostname',
  ];
  const server = await startTlsRedis({ lines });
  await onRedis(server.url, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until(async () => String(await onRedis(server.url, 'CLUSTER', 'INFO')).includes(':ok'));
  await countOn(`rediss+cluster://localhost:${server.port}`);
});

test('rediss+sentinel reaches Sentinels and their master with TLS', async () => {
  const master = await startTlsRedis();
  const sentinel = await startTlsRedis({
    lines: [
      'sentinel resolve-hostnames yes',
      'sentinel announce-hostnames yes',
      `sentinel monitor mymaster localhost ${master.port} 1`,
    ],
    args: ['--sentinel'],
  });
  await countOn(`rediss+sentinel://localhost:${sentinel.port}/mymaster/0`);
});
