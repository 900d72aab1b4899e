import { randomBytes } from 'node:crypto';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { exchange } from '../support/raw-http.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = `export const words = ${JSON.stringify('console '.repeat(200))};`;
const INDEX = '<!doctype html><title>Pet Store console</title>';

const folder = temporaryFolder();
let app: TestApp;

function write(name: string, content: string | Buffer): void {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  if (name.endsWith('.woff2')) return;
  writeFileSync(`${path}.gz`, gzipSync(content));
  writeFileSync(`${path}.br`, brotliCompressSync(content));
}

beforeAll(async () => {
  write('index.html', INDEX);
  write('main-ABCD1234.js', SCRIPT);
  write('styles-QWER5678.css', 'body { margin: 0 }');
  write('inter-FONT0001.woff2', randomBytes(64));
  write('manifest.json', '[]');
  writeFileSync(join(folder.path, 'stamp'), 'hash');
  write('main-BEFORE99.js', 'old();');
  const anHourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(folder.path, 'main-BEFORE99.js'), anHourAgo, anHourAgo);
  app = await testApp({ parts: { consoleFolder: folder.path } });
});
afterAll(() => folder.remove());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.address}${path}`, { method, redirect: 'manual', headers });

/** The bytes as they are sent; fetch would decompress them. */
async function raw(path: string, encoding: string) {
  const { answers } = await exchange(
    app.address,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`,
  );
  return answers[0]!;
}

describe('the console', () => {
  it.each(['/console', '/console/', '/console/inventory', '/console/orders/12', '/console?a=1'])(
    'is one page, at %s too',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(await answer.text()).toBe(INDEX);
    },
  );

  it('is where the service leads to', async () => {
    const answer = await get('/');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/console');
  });

  it.each([
    ['main-ABCD1234.js', 'text/javascript; charset=utf-8', true],
    ['styles-QWER5678.css', 'text/css; charset=utf-8', true],
    ['inter-FONT0001.woff2', 'font/woff2', true],
    ['main-BEFORE99.js', 'text/javascript; charset=utf-8', true],
    ['manifest.json', 'application/json; charset=utf-8', false],
  ])('serves %s', async (name, type, isImmutable) => {
    const answer = await get(`/console/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('cache-control')).toBe(
      isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    const head = await get(`/console/${name}`, {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('has the headers that let a page do what the console does, and no more', async () => {
    for (const path of ['/console', '/console/main-ABCD1234.js']) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toMatch(/^(?:[a-z-]+=\(\)(?:, |$))+$/);
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.has('set-cookie')).toBe(false);
      expect(headers.has('x-ratelimit-limit')).toBe(false);
    }
  });

  it('is sent compressed as the build has done it, each form under an ETag of its own', async () => {
    const path = '/console/main-ABCD1234.js';
    const forms = {
      br: await raw(path, 'gzip, deflate, br'),
      gzip: await raw(path, 'gzip;q=0.5, br;q=0'),
      identity: await raw(path, 'identity'),
    };
    const of = (name: keyof typeof forms) => Buffer.from(forms[name].text, 'latin1');
    expect(forms.br.headers['content-encoding']).toBe('br');
    expect(forms.gzip.headers['content-encoding']).toBe('gzip');
    expect(forms.identity.headers).not.toHaveProperty('content-encoding');
    expect(Number(forms.br.headers['content-length'])).toBe(brotliCompressSync(SCRIPT).length);
    expect(of('identity').toString()).toBe(SCRIPT);
    const etags = Object.values(forms).map(({ headers }) => headers.etag);
    expect(new Set(etags).size).toBe(3);
    expect(forms.br.headers.vary).toBe('accept-encoding');
    const decoded = await get(path, { 'accept-encoding': 'br' });
    expect(await decoded.text()).toBe(SCRIPT);
    const unzipped = await get(path, { 'accept-encoding': 'gzip' });
    expect(await unzipped.text()).toBe(SCRIPT);
  });

  it('is not sent again to a browser that has it', async () => {
    const first = await get('/console');
    const again = await get('/console', { 'if-none-match': first.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/console', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    '/console/main-GONE0000.js',
    '/console/a/main-ABCD1234.js-GONE0000.css',
    '/console/favicon.ico',
    '/console/fonts/inter.woff2',
  ])('answers 404 for a file that is not there: %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it.each([
    '/console/../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/stamp',
    '/console/.env.json',
    '/console/stamp',
    '/console/main-ABCD1234.js.gz',
    '/console//etc/passwd.json',
  ])('serves nothing but its own files: %s', async (path) => {
    const { answers } = await exchange(app.address, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const { status, text } = answers[0]!;
    expect(status === 404 || (status === 200 && text === INDEX), `${status} ${text}`).toBe(true);
  });

  it('refuses other methods', async () => {
    const answer = await get('/console', {}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('without a console', () => {
  it.each([
    ['it is off', { PETSTORE_CONSOLE: 'off' }, folder.path],
    ['it is not built', {}, join(folder.path, 'nowhere')],
  ])('the service has its short page: %s', async (_, environment, consoleFolder) => {
    const other = await testApp({ environment, parts: { consoleFolder } });
    const front = await other.call('GET', '/', { key: null });
    expect(front.text).toContain('<h1>Pet Store</h1>');
    expect((await other.call('GET', '/console', { key: null })).status).toBe(404);
    await other.stop();
  });
});
