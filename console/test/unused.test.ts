import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { iconPaths } from '../src/ui/icons/icon-paths.ts';

const folder = join(import.meta.dirname, '../src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

test('every icon is used', () => {
  const code = sources.filter(({ name }) => !name.startsWith('ui/icons/')).map(({ text }) => text);
  const unused = Object.keys(iconPaths).filter(
    (icon) => !code.some((text) => text.includes(`'${icon}'`) || text.includes(`"${icon}"`)),
  );
  expect(unused).toEqual([]);
});

test('every sentence is used', async () => {
  const unused: string[] = [];
  let looked = 0;
  for (const { name } of sources.filter((source) => source.name.startsWith('words/'))) {
    const users = sources
      .filter(({ text }) => text.includes(`/${name.slice('words/'.length)}'`))
      .map(({ text }) => text);
    const module: Record<string, unknown> = await import(join(folder, name));
    for (const [words, value] of Object.entries(module)) {
      // What is found by a code or a name that the service sent has no place in the text.
      if (typeof value !== 'object' || users.some((text) => text.includes(`${words}[`))) continue;
      for (const key of Object.keys(value as object)) {
        looked++;
        if (!users.some((text) => accesses(text, words, key))) unused.push(`${words}.${key}`);
      }
    }
  }
  expect(looked).toBeGreaterThan(400);
  expect(unused).toEqual([]);
});

/** Whether a file reads this sentence, under the name of its object there. */
function accesses(text: string, words: string, key: string): boolean {
  const alias = new RegExp(`\\b${words} as (\\w+)`).exec(text)?.[1];
  return [words, alias].some((name) => name && new RegExp(`\\b${name}\\.${key}\\b`).test(text));
}
