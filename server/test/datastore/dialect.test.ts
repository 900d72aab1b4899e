import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../src/datastore/', import.meta.url);
const files = ['', 'cluster/', 'search/', 'webhooks/']
  .flatMap((under) => readdirSync(new URL(under, folder)).map((name) => `${under}${name}`))
  .filter((name) => name.endsWith('.ts') && name !== 'dialect.ts');

it.each(files)('%s asks the dialect instead of naming an engine', (file) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  expect(text).not.toMatch(/\.engine\b|\bsqlite:|\bpostgres:/);
});

it('a runner has no optional method', () => {
  const text = readFileSync(new URL('runner.ts', folder), 'utf8');
  const [, body] = /interface Runner \{(.*?)\n\}/s.exec(text)!;
  expect(body).not.toMatch(/^ {2}\w+\?[(<:]/m);
});
