import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { Coalescer } from '../../../src/lib/coalescer.ts';
import { ReplyError } from '../../../src/limits/valkey/resp.ts';
import { ValkeySocket } from '../../../src/limits/valkey/valkey-socket.ts';
import { startRedis } from '../../support/servers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const opened: ValkeySocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close(new Error('the test is over'));
});

/** `closed` resolves to the reason when the connection has ended. */
function open(url: string) {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const coalescer = new Coalescer();
  const socket = new ValkeySocket({ url, coalescer, onClose: (err) => resolve(err.message) });
  opened.push(socket);
  return { socket, closed };
}

async function newRedis() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

async function newRedisWithPassword(password: string) {
  const redis = await newRedis();
  await open(redis.url).socket.send(['CONFIG', 'SET', 'requirepass', password]);
  return redis;
}

function portOf(server: Server): number {
  onTestFinished(() => void server.close());
  return (server.listen(0).address() as AddressInfo).port;
}

function newCertificate(): { key: string; cert: string } {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...kind, ...name, '-days', '2', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  const pair = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  folder.remove();
  return pair;
}

it('gives every command its own reply', async () => {
  const { socket } = open((await newRedis()).url);
  const echoes = Array.from({ length: 100 }, (_, n) => socket.send(['ECHO', `${n}`]));
  const refused = expect(socket.send(['NONSENSE'])).rejects.toThrow(ReplyError);
  expect(await Promise.all(echoes)).toEqual(echoes.map((_, n) => `${n}`));
  await refused;
  expect(await socket.send(['INCR', 'counter'])).toBe(1);
});

it.each([
  ['password', (port: number) => `redis://:p%40ss@127.0.0.1:${port}`, '0'],
  ['user', (port: number) => `redis://default:p%40ss@localhost:${port}`, '0'],
  ['database', (port: number) => `redis://:p%40ss@127.0.0.1:${port}/3`, '3'],
])('uses the %s of its URL', async (_, urlOf, database) => {
  const { port } = await newRedisWithPassword('p@ss');
  const { socket } = open(urlOf(port));
  expect(await socket.send(['CLIENT', 'INFO'])).toContain(` db=${database} `);
});

it('uses a user of its URL that needs no password', async () => {
  const redis = await newRedis();
  await open(redis.url).socket.send(['ACL', 'SETUSER', 'bob', 'on', 'nopass', '+@all']);
  const { socket } = open(redis.url.replace('//', '//bob@'));
  expect(await socket.send(['ACL', 'WHOAMI'])).toBe('bob');
});

it('closes with the reason when the password is wrong', async () => {
  const redis = await newRedisWithPassword('secret');
  const { closed } = open(redis.url.replace('//', '//:wrong@'));
  expect(await closed).toContain('WRONGPASS');
});

it('rejects commands with the reason when the password is missing', async () => {
  const redis = await newRedisWithPassword('secret');
  await expect(open(redis.url).socket.send(['PING'])).rejects.toThrow('NOAUTH');
});

it('rejects commands with the reason when the store is full', async () => {
  const port = portOf(createServer((peer) => peer.end('-ERR max number of clients reached\r\n')));
  const { socket } = open(`redis://localhost:${port}`);
  await expect(socket.send(['PING'])).rejects.toThrow('max number of clients');
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
  expect(await open(`rediss://localhost:${port}`).socket.send(['PING'])).toBe('PONG');
  expect(await open(`rediss://127.0.0.1:${port}`).closed).toContain('altnames');
});

it('rejects the commands under way when the connection is lost, and all later ones', async () => {
  const redis = await newRedis();
  const { socket, closed } = open(redis.url);
  const waiting = expect(socket.send(['BLPOP', 'nothing', '60'])).rejects.toThrow();
  const other = open(redis.url).socket;
  for (;;) {
    if (/blocked_clients:1/.test(String(await other.send(['INFO', 'clients'])))) break;
  }
  await redis.kill();
  await waiting;
  await closed;
  await expect(socket.send(['PING'])).rejects.toThrow('no connection');
});

it('closes when something else than Redis replies', async () => {
  const port = portOf(createHttpServer());
  expect(await open(`redis://:x@localhost:${port}`).closed).toContain('RESP');
});
