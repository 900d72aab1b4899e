import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const dist = new URL('../dist/', import.meta.url);
const KB = 1024;

/** Bytes of the files, compressed. */
const sizeOf = (names: readonly string[]) =>
  names
    .map((name) => readFileSync(new URL(`${name}.gz`, dist)).length)
    .reduce((sum, each) => sum + each, 0);

test('the first screen loads at most 55 kB of script, compressed', () => {
  const page = readFileSync(new URL('index.html', dist), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="\/console\/([\w-]+\.js)"/g)].map(
    ([, name]) => name!,
  );
  expect(scripts.length).toBeGreaterThan(0);
  expect(sizeOf(scripts)).toBeLessThanOrEqual(55 * KB);
});

test('all screens together are at most 120 kB of script, compressed', () => {
  const files: string[] = JSON.parse(readFileSync(new URL('manifest.json', dist), 'utf8'));
  const scripts = files.filter((name) => name.endsWith('.js'));
  expect(scripts).toHaveLength(3);
  expect(sizeOf(scripts)).toBeLessThanOrEqual(120 * KB);
});
