// Breaks every rule of .dependency-cruiser.mjs on purpose, in a small tree with the folders of the server, the client
// and the console. A rule with a typo does not catch its violation.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const options = await extractOptions(join(root, '.dependency-cruiser.mjs'));
const ruleNames = (options.ruleSet?.forbidden ?? []).map(({ name }) => name ?? 'unnamed');

const web = '../../console/src';

/** A tree that breaks no rule: the imports of each file. Paths are below server/src. */
const lawful: Record<string, readonly string[]> = {
  'main.ts': ['./cli/commands.ts'],
  'cli/commands.ts': ['./usage-error.ts', '../app.ts', '../operations/schemas/pet.ts'],
  'cli/usage-error.ts': [],
  'app.ts': [
    './config.ts',
    './configured-limiter.ts',
    './configured-webhooks.ts',
    './datastore/postgres/postgres-datastore.ts',
    './datastore/sqlite/serving-lock.ts',
    './datastore/sqlite/sqlite-datastore.ts',
    './http/server.ts',
    './operations/operations.ts',
    './services/limit-store.ts',
    './services/pets.ts',
  ],
  'config.ts': [],
  'configured-limiter.ts': [
    './limits/memory/memory-limiter.ts',
    './limits/valkey/valkey-limiter.ts',
    './services/limit-store.ts',
  ],
  'configured-webhooks.ts': ['./services/pets.ts', './webhooks/dispatcher.ts'],
  'webhooks/dispatcher.ts': ['../datastore/datastore.ts', '../domain/pet.ts', '../lib/clock.ts'],
  'http/server.ts': [
    'fastify',
    'type node:http',
    '../contract/openapi.ts',
    '../telemetry/metrics.ts',
    'dynamic ../mcp/endpoint.ts',
    'type ../mcp/endpoint.ts',
  ],
  'mcp/endpoint.ts': ['../operations/operation.ts', '../domain/pet.ts', '../lib/clock.ts'],
  'contract/openapi.ts': ['../operations/operation.ts', '../domain/pet.ts'],
  'telemetry/metrics.ts': ['../lib/clock.ts'],
  'operations/operation.ts': ['../datastore/datastore.ts', '../limits/limiter.ts'],
  'operations/operations.ts': ['./pets/create-pet.ts'],
  'operations/pets/create-pet.ts': [
    '../operation.ts',
    '../schemas/pet.ts',
    '../../services/pets.ts',
  ],
  'operations/schemas/pet.ts': [],
  'services/pets.ts': ['../datastore/datastore.ts', '../domain/pet.ts'],
  'services/limit-store.ts': ['../limits/limiter.ts'],
  'datastore/datastore.ts': ['../domain/pet.ts'],
  'datastore/sqlite/sqlite-datastore.ts': ['better-sqlite3', '../datastore.ts'],
  'datastore/postgres/postgres-datastore.ts': ['pg', '../datastore.ts'],
  'datastore/sqlite/serving-lock.ts': ['better-sqlite3'],
  'limits/limiter.ts': ['../domain/pet.ts', '../lib/clock.ts'],
  'limits/memory/memory-limiter.ts': ['../limiter.ts'],
  'limits/valkey/valkey-limiter.ts': ['../limiter.ts'],
  'domain/pet.ts': ['./stock.ts'],
  'domain/stock.ts': [],
  'lib/clock.ts': ['node:timers'],
  '../test/support/app.ts': [],
  '../../client/src/petstore.ts': ['./errors.ts'],
  '../../client/src/errors.ts': [],
  [`${web}/main.ts`]: ['./start.tsx', 'dynamic ./more.ts'],
  [`${web}/start.tsx`]: ['./shell/app.tsx', './router.ts', './load-more.ts'],
  [`${web}/more.ts`]: ['./start.tsx', './screens/orders/orders-screen.tsx'],
  [`${web}/load-more.ts`]: ['type ./routes.ts'],
  [`${web}/screen-of.ts`]: ['./load-more.ts', './screens/overview/overview-screen.tsx'],
  [`${web}/router.ts`]: [],
  [`${web}/routes.ts`]: [],
  [`${web}/shell/app.tsx`]: [
    '../routes.ts',
    '../load-more.ts',
    '../screen-of.ts',
    '../parts/loaded.tsx',
    '../api/store.ts',
  ],
  [`${web}/screens/overview/overview-screen.tsx`]: ['../../load-more.ts'],
  [`${web}/screens/orders/orders-screen.tsx`]: [
    'type ../../../../client/src/petstore.ts',
    '../../api/store.ts',
    '../../charts/chart.tsx',
    '../../parts/loaded.tsx',
    '../../router.ts',
  ],
  [`${web}/screens/plan/plan-screen.tsx`]: [],
  [`${web}/measure.ts`]: [],
  [`${web}/parts/loaded.tsx`]: ['../api/store.ts', '../router.ts', '../ui/button.tsx'],
  [`${web}/charts/chart.tsx`]: ['../ui/button.tsx', '../words/controls.ts'],
  [`${web}/ui/button.tsx`]: ['../words/controls.ts'],
  [`${web}/ui/format.ts`]: [],
  [`${web}/words/controls.ts`]: ['../ui/format.ts'],
  [`${web}/api/store.ts`]: ['../../../client/src/petstore.ts', '../words/controls.ts'],
};

/** The rule, the file that breaks it, and what that file imports; with `type` only its type, with `dynamic` on demand. */
const violations: readonly (readonly [string, string, string])[] = [
  ['domain-imports-only-domain', 'domain/pet.ts', '../lib/clock.ts'],
  ['domain-imports-only-domain', 'domain/pet.ts', '../config.ts'],
  ['domain-imports-only-domain', 'domain/pet.ts', 'node:fs'],
  ['domain-imports-only-domain', 'domain/pet.ts', 'typebox'],
  ['lib-imports', 'lib/clock.ts', '../config.ts'],
  ['datastore-imports', 'datastore/sqlite/sqlite-datastore.ts', '../../services/limit-store.ts'],
  ['datastore-imports', 'datastore/datastore.ts', '../limits/limiter.ts'],
  ['limits-imports', 'limits/limiter.ts', '../datastore/datastore.ts'],
  ['limits-imports', 'limits/limiter.ts', '../config.ts'],
  ['services-imports', 'services/pets.ts', 'type ../operations/operation.ts'],
  ['services-imports', 'services/pets.ts', '../telemetry/metrics.ts'],
  ['operations-imports', 'operations/pets/create-pet.ts', '../../telemetry/metrics.ts'],
  ['operations-imports', 'operations/pets/create-pet.ts', '../../config.ts'],
  ['contract-imports', 'contract/openapi.ts', '../datastore/datastore.ts'],
  ['webhooks-imports', 'webhooks/dispatcher.ts', '../services/pets.ts'],
  ['webhooks-imports', 'webhooks/dispatcher.ts', 'type ../http/server.ts'],
  ['operations-imports', 'operations/pets/create-pet.ts', 'type ../../webhooks/dispatcher.ts'],
  ['http-imports', 'http/server.ts', '../webhooks/dispatcher.ts'],
  ['services-imports', 'services/pets.ts', '../webhooks/dispatcher.ts'],
  ['contract-imports', 'contract/openapi.ts', '../services/pets.ts'],
  ['telemetry-imports', 'telemetry/metrics.ts', '../services/pets.ts'],
  ['mcp-imports', 'mcp/endpoint.ts', '../services/pets.ts'],
  ['mcp-imports', 'mcp/endpoint.ts', '../operations/operations.ts'],
  ['mcp-imports', 'mcp/endpoint.ts', '../telemetry/metrics.ts'],
  ['mcp-only-on-demand', 'app.ts', './mcp/endpoint.ts'],
  ['http-imports', 'http/server.ts', '../config.ts'],
  ['http-imports', 'http/server.ts', '../cli/usage-error.ts'],
  ['http-knows-no-noun', 'http/server.ts', '../operations/pets/create-pet.ts'],
  ['http-knows-no-noun', 'http/server.ts', '../operations/operations.ts'],
  ['http-knows-no-noun', 'contract/openapi.ts', 'type ../operations/schemas/pet.ts'],
  ['cli-imports', 'cli/commands.ts', '../http/server.ts'],
  ['cli-imports', 'cli/commands.ts', '../operations/pets/create-pet.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', '../datastore/sqlite/sqlite-datastore.ts'],
  ['only-app-picks-adapters', 'http/server.ts', '../datastore/postgres/postgres-datastore.ts'],
  ['only-app-picks-adapters', 'cli/commands.ts', '../datastore/sqlite/serving-lock.ts'],
  ['only-app-picks-adapters', 'http/server.ts', '../limits/memory/memory-limiter.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', '../limits/valkey/valkey-limiter.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', 'type ../datastore/sqlite/serving-lock.ts'],
  ['adapters-stand-apart', 'limits/valkey/valkey-limiter.ts', '../memory/memory-limiter.ts'],
  ['adapters-stand-apart', 'datastore/postgres/postgres-datastore.ts', '../sqlite/serving-lock.ts'],
  ['fastify-only-in-http', 'app.ts', 'fastify'],
  ['fastify-only-in-http', 'app.ts', 'type fastify'],
  ['fastify-only-in-http', 'services/pets.ts', '@fastify/cors'],
  ['node-http-without-its-facade', 'webhooks/dispatcher.ts', 'node:http'],
  ['sqlite-only-in-its-folder', 'services/pets.ts', 'better-sqlite3'],
  ['sqlite-only-in-its-folder', 'datastore/datastore.ts', 'type better-sqlite3'],
  ['redis-only-in-its-folder', 'app.ts', 'type @redis/client'],
  ['pg-only-in-its-folder', 'app.ts', 'type pg'],
  ['pg-only-in-its-folder', 'datastore/datastore.ts', 'pg-protocol'],
  ['no-cycles', 'domain/stock.ts', './pet.ts'],
  ['no-cycles', 'domain/stock.ts', 'type ./pet.ts'],
  ['no-orphans', 'services/forgotten.ts', './pets.ts'],
  ['no-test-code-in-the-server', 'app.ts', '../test/support/app.ts'],
  ['no-unresolvable-imports', 'app.ts', './nowhere.ts'],
  ['client-no-cycles', '../../client/src/errors.ts', './petstore.ts'],
  ['client-no-cycles', '../../client/src/errors.ts', 'type ./petstore.ts'],
  ['console-screens-imports', `${web}/screens/orders/orders-screen.tsx`, '../../measure.ts'],
  ['console-shell-imports', `${web}/shell/app.tsx`, '../screens/orders/orders-screen.tsx'],
  ['console-parts-imports', `${web}/parts/loaded.tsx`, 'type ../screens/plan/plan-screen.tsx'],
  ['console-api-imports', `${web}/api/store.ts`, '../ui/button.tsx'],
  ['console-charts-imports', `${web}/charts/chart.tsx`, '../api/store.ts'],
  ['console-charts-imports', `${web}/charts/chart.tsx`, '../router.ts'],
  ['console-ui-imports', `${web}/ui/button.tsx`, '../router.ts'],
  ['console-ui-imports', `${web}/ui/button.tsx`, 'type ../api/store.ts'],
  ['console-words-imports', `${web}/words/controls.ts`, '../measure.ts'],
  [
    'console-client-only-in-api',
    `${web}/screens/orders/orders-screen.tsx`,
    '../../../../client/src/petstore.ts',
  ],
  ['console-knows-no-server', `${web}/api/store.ts`, 'type ../../../server/src/domain/pet.ts'],
  ['console-no-cycles', `${web}/ui/format.ts`, '../words/controls.ts'],
  ['console-no-cycles', `${web}/ui/format.ts`, 'type ../words/controls.ts'],
  ['console-no-cycles', `${web}/load-more.ts`, 'dynamic ./more.ts'],
  ['console-no-unresolvable-imports', `${web}/main.ts`, './nowhere.ts'],
];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** These look at more than one import, so each of their violations has a tree of its own. */
const looksFurther = /-(cycles|orphans)$/;
const alone = violations.filter(([rule]) => looksFurther.test(rule));
const together = violations.filter(([rule]) => !looksFurther.test(rule));

describe('the layer rules', () => {
  it('let a tree without violations pass', async () => {
    expect(await found(lawful)).toEqual([]);
  });

  it.each(alone)('%s: breaks when %s imports %s', async (rule, file, target) => {
    const rules = (await found(withImports([[rule, file, target]]))).map(([name]) => name);
    expect([...new Set(rules)]).toEqual([rule]);
  });

  it('break at every other import, and nowhere else', async () => {
    for (const round of rounds(together)) {
      const broken = (await found(withImports(round))).filter(([rule]) => !looksFurther.test(rule));
      const wanted = round.map(([rule, file]) => [rule, join('server/src', file)]);
      expect(broken.map(String).sort()).toEqual(wanted.map(String).sort());
    }
  });

  it('are each broken on purpose above, and say what to do instead', () => {
    expect(new Set(violations.map(([rule]) => rule))).toEqual(new Set(ruleNames));
    for (const rule of options.ruleSet?.forbidden ?? []) {
      expect(rule.comment?.length, rule.name).toBeGreaterThan(30);
      expect(rule.severity, rule.name).toBe('error');
    }
  });
});

/** Violations that can stand in one tree: a file imports each target once, as a value, as a type or on demand. */
function rounds(list: typeof violations): (typeof violations)[] {
  const taken = new Set<string>();
  const edgeOf = ([, file, target]: (typeof list)[number]) => `${file} ${target.split(' ').at(-1)}`;
  const first = list.filter((violation) => {
    const edge = edgeOf(violation);
    return !taken.has(edge) && taken.add(edge);
  });
  const rest = list.filter((violation) => !first.includes(violation));
  return rest.length === 0 ? [first] : [first, ...rounds(rest)];
}

function withImports(added: typeof violations): Record<string, readonly string[]> {
  const tree = { ...lawful };
  for (const [, file, target] of added) tree[file] = [...(tree[file] ?? []), target];
  return tree;
}

/** The rules that the tree breaks, each with the file that breaks it. */
async function found(tree: Record<string, readonly string[]>): Promise<[string, string][]> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-layers-'));
  folders.push(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const [file, targets] of Object.entries(tree)) {
    const path = join(folder, 'server/src', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${targets.map(importLine).join('\n')}\nexport const value = 1;\n`);
  }
  const { output } = await cruise(
    ['server/src', 'client/src', 'console/src'],
    { ...options, baseDir: folder },
    options.enhancedResolveOptions,
  );
  const { violations } = (output as ICruiseResult).summary;
  return violations.map(({ rule, from }) => [rule.name, from]);
}

function importLine(target: string): string {
  if (target.startsWith('dynamic ')) {
    return `export const loaded = import('${target.slice('dynamic '.length)}');`;
  }
  return target.startsWith('type ')
    ? `import type { value } from '${target.slice('type '.length)}';`
    : `import '${target}';`;
}
