import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createServer as createSecureServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  commandText,
  type Reply,
  ReplyError,
  ReplyReader,
} from '../../../src/limits/valkey/replies.ts';
import { ValkeySocket } from '../../../src/limits/valkey/socket.ts';
import { startRedis } from '../../support/servers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const opened: ValkeySocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function redisWith() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

function open(url: string) {
  const losses: string[] = [];
  const ready = Promise.withResolvers<void>();
  const socket = new ValkeySocket({
    url,
    onReady: ready.resolve,
    onLost: (err) => losses.push(err.message),
  });
  opened.push(socket);
  return { socket, losses, ready: ready.promise };
}

async function redisWithPassword(password: string) {
  const redis = await redisWith();
  const { socket, ready } = open(redis.url);
  await ready;
  await socket.send(['CONFIG', 'SET', 'requirepass', password]);
  return redis;
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

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo(); waited += 5) {
    if (waited > 10_000) throw new Error('it never came to that');
    await pause(5);
  }
}

describe('answers', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab:*$+- \t') });
  const reply = fc.letrec<{ reply: Reply }>((tie) => ({
    reply: fc.oneof(
      { maxDepth: 3 },
      fc.maxSafeInteger(),
      fc.string({ unit: fc.constantFrom(...'ab\r\n:$') }),
      fc.constant(null),
      text.map((message) => new ReplyError(message)),
      fc.array(tie('reply')),
    ),
  })).reply;

  function encode(value: Reply): string {
    if (value === null) return '$-1\r\n';
    if (typeof value === 'number') return `:${value}\r\n`;
    if (typeof value === 'string') return `$${value.length}\r\n${value}\r\n`;
    if (value instanceof ReplyError) return `-${value.message}\r\n`;
    return `*${value.length}\r\n${value.map(encode).join('')}`;
  }

  it('are read whole, wherever the network cuts them', () => {
    fc.assert(
      fc.property(fc.array(reply), fc.array(fc.nat()), (replies, cuts) => {
        const bytes = replies.map(encode).join('');
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
        const reader = new ReplyReader();
        let from = 0;
        const read = ends
          .toSorted((a, b) => a - b)
          .flatMap((end) => {
            const piece = bytes.slice(from, end);
            from = end;
            return reader.read(piece);
          });
        expect(read).toEqual(replies);
      }),
    );
  });

  it.each(['$-7\r\n', '*x\r\n', '$1.5\r\n', 'HTTP/1.1 400\r\n'])('are not made of %j', (bytes) => {
    expect(() => new ReplyReader().read(bytes)).toThrow('RESP');
  });

  it('are awaited by commands of any text', () => {
    expect(commandText(['SET', 'a', 'ä'])).toBe('*3\r\n$3\r\nSET\r\n$1\r\na\r\n$2\r\nä\r\n');
  });
});

describe('a connection', () => {
  it('gives every command its own answer', async () => {
    const { url } = await redisWith();
    const { socket, ready } = open(url);
    await ready;
    const asked = Array.from({ length: 100 }, (_, n) => socket.send(['ECHO', `${n}`]));
    const wrong = expect(socket.send(['NONSENSE'])).rejects.toThrow(ReplyError);
    expect(await Promise.all(asked)).toEqual(asked.map((_, n) => `${n}`));
    await wrong;
    expect(await socket.send(['INCR', 'counter'])).toBe(1);
  });

  it.each([
    ['a password', (port: number) => `redis://:p%40ss@127.0.0.1:${port}`, '0'],
    ['a user', (port: number) => `redis://default:p%40ss@localhost:${port}`, '0'],
    ['a database', (port: number) => `redis://:p%40ss@127.0.0.1:${port}/3`, '3'],
  ])('uses %s that its address names', async (_, urlOf, database) => {
    const { port } = await redisWithPassword('p@ss');
    const { socket, ready } = open(urlOf(port));
    await ready;
    expect(await socket.send(['CLIENT', 'INFO'])).toContain(` db=${database} `);
  });

  it('says what is wrong with a password, and goes on trying', async () => {
    const redis = await redisWithPassword('secret');
    const { socket, losses } = open(redis.url.replace('//', '//:wrong@'));
    await until(() => losses.length > 2);
    expect(losses[0]).toContain('WRONGPASS');
    expect(socket.isReady).toBe(false);
  });

  it('says that a password is missing', async () => {
    const redis = await redisWithPassword('secret');
    const { socket, losses } = open(redis.url);
    await until(() => losses.length > 0);
    expect(losses[0]).toContain('NOAUTH');
    expect(socket.isReady).toBe(false);
  });

  it('says why it was turned away', async () => {
    const server = createPlainServer((client) => {
      client.end('-ERR max number of clients reached\r\n');
    }).listen(0);
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { losses } = open(`redis://localhost:${port}`);
    await until(() => losses.length > 1);
    expect(losses[0]).toContain('max number of clients');
  });

  it('trusts the certificate of its host, and no other', async () => {
    const redis = await redisWith();
    const { key, cert } = newCertificate();
    const server = createSecureServer({ key, cert }, (client) => {
      const upstream = connect(redis.port, '127.0.0.1').on('error', () => {});
      client.on('error', () => {}).on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    }).listen(0);
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const distrusting = open(`rediss://localhost:${port}`);
    await until(() => distrusting.losses.length > 0);
    expect(distrusting.losses[0]).toContain('self-signed');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    onTestFinished(() => setDefaultCACertificates(before));
    const { socket, ready } = open(`rediss://localhost:${port}`);
    await ready;
    expect(await socket.send(['PING'])).toBe('PONG');
    const elsewhere = open(`rediss://127.0.0.1:${port}`);
    await until(() => elsewhere.losses.length > 0);
    expect(elsewhere.losses[0]).toContain('altnames');
  });

  it('fails at once what was under way when it was lost, and comes back', async () => {
    const redis = await redisWith();
    const { socket, losses, ready } = open(redis.url);
    await ready;
    const waiting = expect(socket.send(['BLPOP', 'nothing', '60'])).rejects.toThrow();
    await pause(20);
    await redis.kill();
    await waiting;
    await expect(socket.send(['PING'])).rejects.toThrow('no connection');
    expect(losses.length).toBeGreaterThan(0);
    await redis.restart();
    await until(() => socket.isReady);
    expect(await socket.send(['PING'])).toBe('PONG');
  });

  it('is given up when something else answers', async () => {
    const server = createServer().listen(0);
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { losses } = open(`redis://:x@localhost:${port}`);
    await until(() => losses.length > 0);
    expect(losses[0]).toContain('RESP');
  });
});
