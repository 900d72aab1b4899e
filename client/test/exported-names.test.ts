// A program that forgets to import a shape of the client must not get one of the platform's instead.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const compiler = `@typescript/typescript-${process.platform}-${process.arch}`;
const dom = read(`../node_modules/${compiler}/lib/lib.dom.d.ts`);
const platform = new Set(Object.getOwnPropertyNames(globalThis));
for (const [, name] of dom.matchAll(/^(?:interface|type|declare (?:var|function)) (\w+)/gm)) {
  platform.add(name!);
}

/** The names that a file exports, types included. */
function exportedBy(file: string): string[] {
  const text = read(`src/${file}`);
  const declared = text.matchAll(
    /^export (?:async )?(?:interface|type|class|const|function) (\w+)/gm,
  );
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => [
    ...list!.matchAll(/(\w+) *(?:,|$)/gm),
  ]);
  return [...declared, ...lists].map(([, name]) => name!);
}

it('exports no name that browsers or Node have as a global', () => {
  expect([...platform]).toEqual(expect.arrayContaining(['Event', 'Node', 'Request', 'process']));
  const names = ['petstore.ts', 'contract.ts', 'testing.ts'].flatMap(exportedBy);
  const known = ['Petstore', 'Order', 'PetstoreEvent', 'RateLimitError', 'Page', 'scriptedFetch'];
  expect(names).toEqual(expect.arrayContaining(known));
  expect(names.filter((name) => platform.has(name))).toEqual([]);
});
