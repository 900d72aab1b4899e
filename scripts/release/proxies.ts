// npm run proxies: runs the service behind nginx and behind HAProxy, each with TLS and with its configuration from
// deploy/, and checks what a client sees. It needs the Debian packages nginx, haproxy and openssl.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'petstore-proxies-'));
const children: ChildProcess[] = [];
const failures: string[] = [];
const START_TRIES = 100;

function check(name: string, isOk: boolean, detail: unknown = ''): void {
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${name}${isOk ? '' : `\n${String(detail)}`}`);
  if (!isOk) failures.push(name);
}

function start(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const child = spawn(command, args, { env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

/** A port that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function serve(port: number): Promise<string> {
  const child = start(process.execPath, [join(root, 'server/bin/petstore.js'), 'serve'], {
    PETSTORE_PORT: String(port),
    PETSTORE_DATA_DIR: join(folder, 'data'),
    PETSTORE_TRUST_PROXY: '127.0.0.1',
  });
  let output = '';
  return new Promise((resolve) => {
    const read = (chunk: Buffer) => {
      output += String(chunk);
      const key = /^psk_\w+$/m.exec(output)?.[0];
      if (key && output.includes('ready at')) resolve(key);
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
  });
}

function curl(port: number, path: string, ...args: string[]): string {
  const tls = ['--cacert', join(folder, 'cert.pem'), '--resolve', `shop.example:${port}:127.0.0.1`];
  const url = `https://shop.example:${port}${path}`;
  return execFileSync(
    'curl',
    ['-s', '-i', '--path-as-is', '--max-time', '10', ...tls, ...args, url],
    {
      encoding: 'utf8',
    },
  );
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < START_TRIES; tries++) {
    try {
      if (curl(port, '/readyz').includes('"ready"')) return;
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing answers at port ${port}`);
}

/** What a client must see, whatever is in between. */
async function checkProxy(name: string, port: number, key: string): Promise<void> {
  await untilReady(port);
  const auth = ['-H', `Authorization: Bearer ${key}`];
  const pets = curl(port, '/v1/pets', ...auth);
  check(`${name} serves the API over TLS`, /^HTTP\/\S+ 200/.test(pets), pets);
  check(`${name} sets HSTS`, /strict-transport-security/i.test(pets), pets);
  for (const path of ['/metrics', '/%6detrics', '/metrics/', '/%2e/metrics', '//metrics']) {
    const answer = curl(port, path);
    check(`${name} hides ${path}`, /^HTTP\/\S+ 40[04]/.test(answer), answer);
  }
  const session = curl(port, '/v1/session', ...auth, '-X', 'POST');
  check(
    `${name} says that it is https`,
    /set-cookie: __Host-\S+.*; Secure/i.test(session),
    session,
  );
  // Two requests that claim different addresses count for the one that they come from.
  const [first, second] = ['10.1.1.1', '10.2.2.2'].map((address) => {
    const answer = curl(port, '/v1/pets', '-H', `X-Forwarded-For: ${address}`);
    return Number(/x-ratelimit-remaining: (\d+)/i.exec(answer)?.[1]);
  });
  check(`${name} replaces X-Forwarded-For`, second === first! - 1, `${first}, ${second}`);
  const stream = start('curl', [
    ...['-sN', '--cacert', join(folder, 'cert.pem'), ...auth],
    ...['--resolve', `shop.example:${port}:127.0.0.1`],
    `https://shop.example:${port}/v1/events/stream?after=0`,
  ]);
  const event = new Promise<string>((resolve) => {
    stream.stdout!.on(
      'data',
      (chunk: Buffer) => String(chunk).includes('data:') && resolve('event'),
    );
    setTimeout(resolve, 8_000, 'nothing');
  });
  curl(port, '/v1/categories', ...auth, '--json', JSON.stringify({ name: `of ${name}` }));
  check(`${name} passes an event on at once`, (await event) === 'event');
}

function nginxConfig(node: number, port: number): string {
  const server = readFileSync(join(root, 'deploy/nginx/petstore.conf'), 'utf8')
    .replace('127.0.0.1:8080', `127.0.0.1:${node}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('/etc/nginx/petstore.pem', join(folder, 'cert.pem'))
    .replace('/etc/nginx/petstore.key', join(folder, 'key.pem'));
  return `daemon off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
${server}}`;
}

/** The configuration of compose.yaml, with the lines that docs/deploying.md has for TLS. */
function haproxyConfig(node: number, port: number): string {
  const docs = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
  const tls = /```\n( {2}bind :8443.*?)```/s.exec(docs)![1]!;
  return readFileSync(join(root, 'deploy/compose/haproxy.cfg'), 'utf8')
    .replace('  bind :8080\n', tls)
    .replace(':8443', `127.0.0.1:${port}`)
    .replaceAll('/usr/local/etc/haproxy/petstore.pem', join(folder, 'both.pem'))
    .replaceAll('/usr/local/etc/haproxy', join(root, 'deploy/compose'))
    .replace(/resolvers docker\n(?: {2}.*\n)+/, '')
    .replaceAll(' resolvers docker init-addr libc,none', '')
    .replaceAll(/ {2}server node-2 .*\n/g, '')
    .replaceAll('node-1:8080', `127.0.0.1:${node}`);
}

try {
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '1',
      ],
      ...['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example'],
      ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')],
    ],
    { stdio: 'ignore' },
  );
  const pem = ['cert.pem', 'key.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
  writeFileSync(join(folder, 'both.pem'), pem.join(''));
  const [node, nginx, haproxy] = [await freePort(), await freePort(), await freePort()];
  const key = await serve(node);
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig(node, nginx));
  start('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  await checkProxy('nginx', nginx, key);
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyConfig(node, haproxy));
  start('haproxy', ['-f', join(folder, 'haproxy.cfg')]);
  await checkProxy('HAProxy', haproxy, key);
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures.length > 0 ? 1 : 0;
