// Installs programs that tests need, where apt-get can.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const INSTALL_MS = 15 * 60_000;
/** Test files run at the same time, and only one apt-get can run at a time. */
const LOCK_FILE = join(tmpdir(), 'petstore-apt-get.lock');
/** The policy keeps packages from starting their services. */
const SCRIPT = `
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
apt-get update -qq
apt-get install -qq --yes --no-install-recommends "$@"
`;

export function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}

/** Installs packages of Debian without starting the services that they bring. */
export function installPackages(packages: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const names = packages.join(' ');
  // Past the stream, which the test that comes first to need them may watch.
  writeSync(2, `tests: apt-get install ${names} (once; this can take some minutes)\n`);
  const args = [LOCK_FILE, 'sh', '-ec', SCRIPT, 'sh', ...packages];
  execFileSync('flock', args, { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
}

/** The path of the first of these programs on the PATH, or among those of services, which not every user has on it. */
export function findOnPath(names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** The path of a program, which is installed from packages of Debian if it is missing. */
export function findOrInstall(names: readonly string[], packages: readonly string[]): string {
  const found = findOnPath(names);
  if (found) return found;
  if (canInstall()) installPackages(packages);
  const installed = findOnPath(names);
  if (installed) return installed;
  throw new Error(
    `The tests need ${names.join(' or ')} on the PATH: sudo apt-get install ${packages.join(' ')}`,
  );
}
