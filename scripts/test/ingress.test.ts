// The Ingress passes on a list of paths. Whatever the public pages load must be among them.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { testApp } from '../../server/test/support/app.ts';

interface Rule {
  path: string;
  pathType: 'Exact' | 'Prefix';
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const ingress = parse(readFileSync(join(root, 'deploy/kubernetes/ingress.yaml'), 'utf8'), {
  merge: true,
});
const rules: Rule[] = ingress.spec.rules[0].http.paths;

/** As Kubernetes defines it: a prefix matches whole segments. */
const isPassed = (path: string) =>
  rules.some((rule) =>
    rule.pathType === 'Exact'
      ? path === rule.path
      : path === rule.path || path.startsWith(`${rule.path}/`),
  );

it('passes on the public pages and all that they load, from paths that exist', async () => {
  // Without the console, the service has a front page.
  const app = await testApp({ environment: { PETSTORE_CONSOLE: 'off' } });
  const get = (path: string) => app.call('GET', path, { key: null });
  const pages = ['/', '/docs', '/docs/guide', '/docs/errors'];
  const paths = new Set([...pages, '/openapi-3.1.json', '/openapi.yaml']);
  const loaded = /(?:<link [^>]*href="|src="|url\(\\?"|"(?:url|cdn|favicon)": ?")(\/[^"#\\]*)/g;
  for (const page of pages) {
    for (const [, path] of (await get(page)).text.matchAll(loaded)) paths.add(path!);
  }
  const names = [...paths].map((path) => basename(path));
  expect(names).toEqual(
    expect.arrayContaining(['icon.svg', 'inter.woff2', 'scalar.js', 'openapi.json']),
  );
  for (const path of paths) {
    expect([path, isPassed(path)]).toEqual([path, true]);
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  }
});

it('passes on the API and the console, and no page that is for the inside', () => {
  for (const path of ['/v1/pets', '/mcp', '/console', '/console/inventory']) {
    expect([path, isPassed(path)]).toEqual([path, true]);
  }
  for (const path of ['/metrics', '/%6detrics', '/healthz', '/readyz', '/docsmetrics']) {
    expect([path, isPassed(path)]).toEqual([path, false]);
  }
});
