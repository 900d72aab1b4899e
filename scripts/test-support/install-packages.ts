// Installs programs that tests need, where apt-get can.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const INSTALL_MS = 15 * 60_000;
/** Other tests may be installing something. */
const LOCK_OPTION = ['-o', 'DPkg::Lock::Timeout=600'];

export function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}

/** Installs packages of Debian without starting the services that they bring. */
export function installPackages(packages: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args: string[]) => {
    process.stderr.write(`tests: apt-get ${args.join(' ')} (once; this can take some minutes)\n`);
    const all = [...LOCK_OPTION, ...args];
    execFileSync('apt-get', all, { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
  };
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run('update', '-qq');
    run('install', '-qq', '--yes', '--no-install-recommends', ...packages);
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

/** The path of the first of these programs on the PATH. */
export function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** The path of a program, which is installed from a package of Debian if it is missing. */
export function findOrInstall(names: readonly string[], packageName: string): string {
  const found = findOnPath(names);
  if (found) return found;
  if (canInstall()) installPackages([packageName]);
  const installed = findOnPath(names);
  if (installed) return installed;
  throw new Error(
    `The tests need ${names.join(' or ')} on the PATH: sudo apt-get install ${packageName}`,
  );
}
