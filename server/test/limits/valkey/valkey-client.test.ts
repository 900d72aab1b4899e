import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { parseValkeyUrl } from '../../../src/lib/network/valkey-url.ts';
import { ValkeyClient } from '../../../src/limits/valkey/valkey-client.ts';
import { newCertificate } from '../../support/certificate.ts';
import { startRedis } from '../../support/servers.ts';

const opened: ValkeyClient[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close(new Error('the test is over'));
});

/** `closed` resolves to the reason when the connection has ended. */
function open(url: string, more: Partial<ConstructorParameters<typeof ValkeyClient>[0]> = {}) {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const { addresses, ...settings } = parseValkeyUrl(url);
  const onClose = (err: Error) => resolve(err.message);
  const options = { ...settings, address: addresses[0], connectMaxMs: 60_000, onClose, ...more };
  const client = new ValkeyClient(options);
  opened.push(client);
  const send = (words: string[]) => client.opened.then(() => client.send(words));
  return { client, send, closed };
}

async function newRedis() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

async function newRedisWithPassword(password: string) {
  const redis = await newRedis();
  await open(redis.url).send(['CONFIG', 'SET', 'requirepass', password]);
  return redis;
}

function portOf(server: Server): number {
  onTestFinished(() => void server.close());
  return (server.listen(0).address() as AddressInfo).port;
}

it('gives every command its own reply', async () => {
  const { send } = open((await newRedis()).url);
  const echoes = Array.from({ length: 100 }, (_, n) => send(['ECHO', `${n}`]));
  const refused = expect(send(['NONSENSE'])).rejects.toThrow('unknown command');
  expect(await Promise.all(echoes)).toEqual(echoes.map((_, n) => `${n}`));
  await refused;
  expect(await send(['INCR', 'counter'])).toBe(1);
});

it.each([
  ['password', (port: number) => `redis://:p%40ss@127.0.0.1:${port}`, '0'],
  ['user', (port: number) => `redis://default:p%40ss@localhost:${port}`, '0'],
  ['database', (port: number) => `redis://:p%40ss@127.0.0.1:${port}/3`, '3'],
])('uses the %s of its URL', async (_, urlOf, database) => {
  const { port } = await newRedisWithPassword('p@ss');
  const { send } = open(urlOf(port));
  expect(await send(['CLIENT', 'INFO'])).toContain(` db=${database} `);
});

it('uses a user of its URL that needs no password', async () => {
  const redis = await newRedis();
  await open(redis.url).send(['ACL', 'SETUSER', 'bob', 'on', 'nopass', '+@all']);
  const { send } = open(redis.url.replace('//', '//bob@'));
  expect(await send(['ACL', 'WHOAMI'])).toBe('bob');
});

it('hears its channel beside its commands, and replies go on where it may not listen', async () => {
  const { url } = await newRedis();
  const other = open(url);
  await other.send(['ACL', 'SETUSER', 'deaf', 'on', '>p', 'allkeys', '+@all', 'resetchannels']);
  let heard = 0;
  const onMessage = () => {
    heard += 1;
  };
  const channel = { name: 'news', onMessage };
  const listening = open(url, { channel });
  const deaf = open(url.replace('//', '//deaf:p@'), { channel });
  for (const { send } of [listening, deaf]) expect(await send(['ECHO', 'a'])).toBe('a');
  await expect.poll(() => other.send(['PUBLISH', 'news', 'x'])).toBe(1);
  await expect.poll(() => heard).toBeGreaterThan(0);
  for (const { send } of [listening, deaf]) expect(await send(['ECHO', 'b'])).toBe('b');
});

it('closes with the reason when the password is wrong', async () => {
  const redis = await newRedisWithPassword('secret');
  const { closed } = open(redis.url.replace('//', '//:wrong@'));
  expect(await closed).toContain('WRONGPASS');
});

it('rejects commands with the reason when the password is missing', async () => {
  const redis = await newRedisWithPassword('secret');
  await expect(open(redis.url).send(['PING'])).rejects.toThrow('NOAUTH');
});

it('rejects commands when the store is full', async () => {
  const port = portOf(createServer((peer) => peer.end('-ERR max number of clients reached\r\n')));
  const { send } = open(`redis://localhost:${port}`);
  await expect(send(['PING'])).rejects.toThrow();
});

it('trusts the certificate of its host, and no other', async () => {
  const redis = await newRedis();
  const { key, cert } = newCertificate();
  const server = createTlsServer({ key, cert }, (peer) => {
    const upstream = connect(redis.port, '127.0.0.1').on('error', () => {});
    peer.on('error', () => {}).on('close', () => upstream.destroy());
    peer.pipe(upstream).pipe(peer);
  });
  const port = portOf(server);
  expect(await open(`rediss://localhost:${port}`).closed).toContain('self-signed');
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  expect(await open(`rediss://localhost:${port}`).send(['PING'])).toBe('PONG');
  expect(await open(`rediss://127.0.0.1:${port}`).closed).toContain('altnames');
});

it('rejects the commands under way when the connection is lost, and all later ones', async () => {
  const redis = await newRedis();
  const { client, send, closed } = open(redis.url);
  const waiting = expect(send(['BLPOP', 'nothing', '60'])).rejects.toThrow();
  const other = open(redis.url);
  for (;;) {
    if (/blocked_clients:1/.test(String(await other.send(['INFO', 'clients'])))) break;
  }
  await redis.kill();
  await waiting;
  await closed;
  await expect(client.send(['PING'])).rejects.toThrow('closed');
});

it('closes when something else than Redis replies', async () => {
  const port = portOf(createHttpServer());
  expect(await open(`redis://:x@localhost:${port}`).closed).not.toBe('');
});
