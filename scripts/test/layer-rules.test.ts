// Every rule of .dependency-cruiser.mjs is broken here on purpose, in a small tree laid out like
// the server, so that a rule with a typo in it is found out.

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

/** A tree that keeps every rule: what each file of server/src imports. */
const lawful: Record<string, readonly string[]> = {
  'main.ts': ['./cli/commands.ts'],
  'cli/commands.ts': ['./usage-error.ts', '../app.ts'],
  'cli/usage-error.ts': [],
  'app.ts': [
    './api/server.ts',
    './config.ts',
    './datastore/postgres.ts',
    './datastore/serving-lock.ts',
    './datastore/sqlite.ts',
    './limits/memory.ts',
    './limits/valkey.ts',
    './services/limit-store.ts',
    './services/pets.ts',
  ],
  'config.ts': [],
  'api/server.ts': ['fastify', '../domain/pet.ts'],
  'services/pets.ts': ['../datastore/datastore.ts', '../domain/pet.ts'],
  'services/limit-store.ts': ['../limits/limit-store.ts'],
  'datastore/datastore.ts': ['../domain/pet.ts'],
  'datastore/sqlite.ts': ['better-sqlite3', './datastore.ts'],
  'datastore/postgres.ts': ['pg', './datastore.ts'],
  'datastore/serving-lock.ts': ['better-sqlite3'],
  'limits/limiter.ts': ['../domain/pet.ts', '../lib/clock.ts'],
  'limits/limit-store.ts': [],
  'limits/memory.ts': ['./limiter.ts', './limit-store.ts'],
  'limits/valkey.ts': ['./memory.ts'],
  'domain/pet.ts': ['./stock.ts'],
  'domain/stock.ts': [],
  'lib/clock.ts': ['node:timers'],
  '../test/support/app.ts': [],
};

/** Rule, file that breaks it, what that file imports; with `type`, only the type of it. */
const violations: readonly (readonly [string, string, string])[] = [
  ['domain-imports-only-domain', 'domain/pet.ts', '../lib/clock.ts'],
  ['domain-imports-only-domain', 'domain/pet.ts', '../config.ts'],
  ['domain-imports-only-domain', 'domain/pet.ts', 'node:fs'],
  ['domain-imports-only-domain', 'domain/pet.ts', 'typebox'],
  ['lib-imports-nothing-of-ours', 'lib/clock.ts', '../domain/pet.ts'],
  ['services-do-not-know-http', 'services/pets.ts', '../api/server.ts'],
  ['datastore-looks-only-down', 'datastore/sqlite.ts', '../services/pets.ts'],
  ['datastore-looks-only-down', 'datastore/sqlite.ts', '../api/server.ts'],
  ['datastore-looks-only-down', 'datastore/sqlite.ts', '../limits/limiter.ts'],
  ['limits-stand-alone', 'limits/limiter.ts', '../datastore/datastore.ts'],
  ['limits-stand-alone', 'limits/limiter.ts', '../services/pets.ts'],
  ['limits-stand-alone', 'limits/limiter.ts', '../api/server.ts'],
  ['limits-stand-alone', 'limits/limiter.ts', '../config.ts'],
  ['api-does-not-import-its-host', 'api/server.ts', '../cli/usage-error.ts'],
  ['api-does-not-import-its-host', 'api/server.ts', 'type ../app.ts'],
  ['api-does-not-import-its-host', 'api/server.ts', 'type ../main.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', '../datastore/sqlite.ts'],
  ['only-app-picks-adapters', 'api/server.ts', '../datastore/postgres.ts'],
  ['only-app-picks-adapters', 'cli/commands.ts', '../datastore/serving-lock.ts'],
  ['only-app-picks-adapters', 'api/server.ts', '../limits/memory.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', '../limits/valkey.ts'],
  ['only-app-picks-adapters', 'main.ts', '../src/datastore/sqlite.ts'],
  ['only-app-picks-adapters', 'services/pets.ts', 'type ../datastore/sqlite.ts'],
  ['fastify-only-in-api', 'app.ts', 'fastify'],
  ['fastify-only-in-api', 'app.ts', 'type fastify'],
  ['fastify-only-in-api', 'services/pets.ts', '@fastify/cors'],
  ['drivers-only-in-datastore', 'services/pets.ts', 'better-sqlite3'],
  ['drivers-only-in-datastore', 'app.ts', 'type pg'],
  ['redis-only-in-tests', 'limits/valkey.ts', 'redis'],
  ['no-cycles', 'domain/stock.ts', './pet.ts'],
  ['no-orphans', 'services/forgotten.ts', './pets.ts'],
  ['no-test-code-in-the-server', 'app.ts', '../test/support/app.ts'],
  ['no-unresolvable-imports', 'app.ts', './nowhere.ts'],
];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('the layer rules', () => {
  it('let a lawful tree pass', async () => {
    expect(await brokenRules(lawful)).toEqual([]);
  });

  it.each(violations)('%s: found when %s imports %s', async (rule, file, target) => {
    expect(await brokenRules(withImport(file, target))).toEqual([rule]);
  });

  it('let a cycle of types alone pass', async () => {
    expect(await brokenRules(withImport('domain/stock.ts', 'type ./pet.ts'))).toEqual([]);
  });

  it('are each broken on purpose above, and say what to do instead', () => {
    expect(new Set(violations.map(([rule]) => rule))).toEqual(new Set(ruleNames));
    for (const rule of options.ruleSet?.forbidden ?? []) {
      expect(rule.comment?.length, rule.name).toBeGreaterThan(30);
      expect(rule.severity, rule.name).toBe('error');
    }
  });
});

function withImport(file: string, target: string): Record<string, readonly string[]> {
  return { ...lawful, [file]: [...(lawful[file] ?? []), target] };
}

async function brokenRules(tree: Record<string, readonly string[]>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-layers-'));
  folders.push(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const [file, targets] of Object.entries(tree)) {
    const path = join(folder, 'server/src', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${targets.map(importLine).join('\n')}\nexport const value = 1;\n`);
  }
  const { output } = await cruise(
    ['server/src'],
    { ...options, baseDir: folder },
    options.enhancedResolveOptions,
  );
  const { violations: found } = (output as ICruiseResult).summary;
  return [...new Set(found.map(({ rule }) => rule.name))];
}

function importLine(target: string): string {
  return target.startsWith('type ')
    ? `import type { value } from '${target.slice('type '.length)}';`
    : `import '${target}';`;
}
