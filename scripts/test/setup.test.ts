import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const UNPRIVILEGED = 65_534;

function emptyFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  return folder.path;
}

/** A checkout without its packages, as a clone of what is here would be. */
function freshCheckout(): string {
  const folder = emptyFolder();
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(folder, file));
  return folder;
}

/** Runs the set-up of a checkout that has nothing else. */
function setUp(folder: string, { path = '', uid = process.getuid!(), nodeOptions = '' } = {}) {
  const env = { PATH: `${path}:/usr/bin:/bin`, NODE_OPTIONS: nodeOptions };
  const { status, stderr } = spawnSync('node', ['scripts/setup.mjs'], {
    cwd: folder,
    env,
    uid,
    encoding: 'utf8',
  });
  return { status, stderr };
}

/** Others may read it, unlike the folders of other tests. */
function checkoutWithSetup(): string {
  const folder = mkdtempSync('/tmp/petstore-setup-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  for (const file of ['package.json', 'package-lock.json', 'scripts/setup.mjs']) {
    cpSync(join(root, file), join(folder, file));
  }
  return folder;
}

it('package-lock.json has the optional packages of every platform, without which npm ci fails', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const listed = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const missing = Object.values(packages as Record<string, { optionalDependencies?: object }>)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !listed.has(name));
  expect(missing).toEqual([]);
});

it('sets up a fresh checkout with npm 10, so that the service starts', () => {
  const folder = freshCheckout();
  const home = emptyFolder();
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: process.env.HOME,
    PETSTORE_CONSOLE: 'off',
    PETSTORE_DATA_DIR: home,
    // The whole tree is resolved, and what the service needs is unpacked.
    npm_config_omit: 'dev',
    npm_config_prefer_offline: 'true',
  };
  const npm10 = ['--yes', 'npm@10', 'run', 'prestart'];
  const { status, stderr } = spawnSync('npx', npm10, { cwd: folder, env, encoding: 'utf8' });
  expect(stderr).not.toContain('gyp');
  expect(status, stderr).toBe(0);
  const command = ['node_modules/.bin/petstore', 'server', 'migrate'];
  const migrated = spawnSync('node_modules/.bin/node', command, { cwd: folder, env });
  expect(String(migrated.stderr)).toBe('');
  expect(migrated.status).toBe(0);
});

it('names the command that installs libatomic', () => {
  const folder = checkoutWithSetup();
  const path = join(folder, 'bin');
  mkdirSync(path);
  writeFileSync(join(path, 'ldconfig'), '#!/bin/sh\necho "libc.so.6 => /lib/libc.so.6"\n');
  chmodSync(join(path, 'ldconfig'), 0o755);
  const { status, stderr } = setUp(folder, { path });
  expect(stderr).toMatch(/^petstore: .*libatomic.so.1 is missing: run sudo \S+ install \S+\n$/);
  expect(status).toBe(1);
});

it('names the command that makes the folder writable', () => {
  const folder = checkoutWithSetup();
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
  const uid = process.getuid!() === 0 ? UNPRIVILEGED : process.getuid!();
  const { status, stderr } = setUp(folder, { uid });
  expect(stderr).toMatch(/^petstore: \w+ cannot write to .*: run sudo chown -R \w+ .*\n$/);
  expect(status).toBe(1);
  expect(existsSync(join(folder, 'node_modules'))).toBe(false);
});

it('names an old Node and the command that installs a newer one, before anything is installed', () => {
  const folder = checkoutWithSetup();
  const preload = join(folder, 'old.cjs');
  const versions = "{ ...process.versions, node: '18.20.8' }";
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  expect(setUp(folder, { nodeOptions: `--require=${preload}` })).toEqual({
    status: 1,
    stderr:
      'petstore: this is Node 18.20.8, and set-up needs Node 20 or newer: run nvm install 20, or install it from https://nodejs.org\n',
  });
  expect(existsSync(join(folder, 'node_modules'))).toBe(false);
});
