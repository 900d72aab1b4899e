import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/domain/errors.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { exchange } from '../support/raw-http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { PETSTORE_CONSOLE: 'off' } });
});
const get = (path: string) => app.call('GET', path, { key: null });

describe('pages beside the API', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/errors', 'text/html; charset=utf-8'],
    ['/docs/guide', 'text/html; charset=utf-8'],
    ['/openapi.json', 'application/json; charset=utf-8'],
    ['/openapi-3.1.json', 'application/json; charset=utf-8'],
    ['/openapi.yaml', 'application/yaml; charset=utf-8'],
    ['/healthz', 'application/json; charset=utf-8'],
    ['/readyz', 'application/json; charset=utf-8'],
    ['/metrics', 'text/plain; version=0.0.4; charset=utf-8'],
  ])('%s needs no key and is not metered', async (path, type) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
    expect(answer.headers.has('x-api-version')).toBe(false);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.has('x-request-id')).toBe(true);
    const head = await app.call('HEAD', path, { key: null });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
  });

  it('are not counted', async () => {
    const remaining = async () =>
      Number((await get('/v1/pets')).headers.get('x-ratelimit-remaining'));
    const before = await remaining();
    for (const path of ['/', '/healthz', '/readyz', '/metrics', '/nowhere']) await get(path);
    expect(await remaining()).toBe(before - 1);
  });

  it('link from the front page to pages that exist', async () => {
    const { text } = await get('/');
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1]!);
    expect(links).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/openapi.yaml']));
    for (const link of links) expect((await get(link)).status, link).toBe(200);
  });

  it('show name, version, state and a first request that works on the front page', async () => {
    const { text } = await get('/');
    expect(text).toContain('<h1>Pet Store</h1>');
    expect(text).toContain('Ready · version 1.0.0');
    expect(text).toContain('<meta name="viewport"');
    const icon = /<link rel="icon" href="([^"]+)"/.exec(text)![1]!;
    expect((await get(icon)).headers.get('content-type')).toBe('image/svg+xml');
    const url = /curl -H "Authorization: Bearer \$API_KEY" ([^<\s]+)</.exec(text)![1]!;
    expect(url).toBe(`${app.address}/v1/pets`);
    expect((await app.call('GET', new URL(url).pathname)).status).toBe(200);
  });

  it.each(['/', '/docs/errors', '/docs/guide'])(
    'allow %s its own style sheet by hash, and nothing else',
    async (path) => {
      const { text, headers } = await get(path);
      const styles = [...text.matchAll(/<style>([^<]*)<\/style>/g)].map((match) => match[1]!);
      const hashes = styles.map((style) => `'sha256-${hash('sha256', style, 'base64')}'`);
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain(`default-src 'none'; style-src ${hashes.join(' ')};`);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(text).not.toMatch(/<script|style="|(?:src|href)="(?:https?:)?\/\//);
    },
  );

  it('keep the session of the console out of the reference', async () => {
    const { text } = await get('/docs');
    const [, first] = /<script[^>]*>([^<]*)<\/script>/.exec(text)!;
    const sent: RequestInit[] = [];
    const window = { fetch: (_: string, init: RequestInit) => void sent.push(init) };
    const document = { createElement: () => ({}) };
    // The page's own first script, with a window of this test.
    new Function('window', 'document', 'Element', first!)(window, document, class {});
    window.fetch('/v1/pets', { method: 'POST', credentials: 'include' });
    expect(sent).toEqual([{ method: 'POST', credentials: 'omit' }]);
    expect(text.indexOf(first!)).toBeLessThan(text.indexOf('/docs/scalar.js'));
  });

  it('include a reference without an asset of another host', async () => {
    const { text, headers } = await get('/docs');
    const addresses = [...text.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)].map(
      (match) => match[1]!,
    );
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toMatch(/^(\/(?!\/)|#|data:)/);
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const nonce = /script-src 'nonce-([\w-]{22})'/.exec(policy)![1]!;
    const scripts = text.match(/<script[^>]*>/g)!;
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    expect((await get('/docs')).headers.get('content-security-policy')).not.toBe(policy);
    const script = addresses.find((address) => address.endsWith('.js'))!;
    const answer = await get(script);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.text.length).toBeGreaterThan(100_000);
  });

  it('count requests by operation and status, in metrics that clients cannot make grow', async () => {
    await app.call('GET', '/v1/categories');
    const lines = async () => (await get('/metrics')).text.match(/^petstore_.*$/gm)!.length;
    expect((await get('/metrics')).text).toMatch(
      /^petstore_requests_total\{operation="listCategories",status="200"\} \d+$/m,
    );
    await get('/v1/nowhere/0');
    const before = await lines();
    for (let i = 1; i < 200; i++) await get(`/v1/nowhere/${i}`);
    expect(await lines()).toBe(before);
  });

  it.each([
    ['POST', '/healthz'],
    ['DELETE', '/docs'],
    ['PUT', '/metrics'],
    ['PATCH', '/openapi.json'],
    ['OPTIONS', '/readyz'],
    ['PROPFIND', '/'],
  ])('answer %s %s with 405 and the methods of the page', async (method, path) => {
    const { answers } = await exchange(
      app.address,
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Type: text/html\r\n\r\nab`,
    );
    expect(answers[0]!.body).toMatchObject({ code: 'method_not_allowed', status: 405 });
    expect(answers[0]!.headers.allow).toBe('GET, HEAD');
  });

  it('count CPU time from the start of the process, not from the first scrape', async () => {
    const used = () => Object.values(process.cpuUsage()).reduce((a, b) => a + b) / 1e6;
    const before = used();
    const fresh = await testApp();
    const { text } = await fresh.call('GET', '/metrics', { key: null });
    const shown = Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]);
    expect(shown).toBeGreaterThanOrEqual(before);
    expect(shown).toBeLessThanOrEqual(used());
    const parts = [...text.matchAll(/^process_cpu_(?:user|system)_seconds_total (\S+)$/gm)];
    expect(parts).toHaveLength(2);
    await fresh.stop();
  });

  it('have an entry for every error code, where docUrl leads', async () => {
    const { body } = await get('/v1/nowhere');
    expect(body.docUrl).toBe('/docs/errors#not_found');
    const { text } = await get('/docs/errors');
    for (const code of errorCodes) expect(text).toContain(`<section id="${code}">`);
  });

  it('answer other paths with 404 in the Error shape', async () => {
    for (const path of ['/nowhere', '/v2/pets', '/v1x', '//', '/docs/nowhere', '/.env']) {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: 'not_found', status: 404 });
      expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    }
  });
});
