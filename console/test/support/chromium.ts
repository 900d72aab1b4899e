// Finds Chromium, or installs Debian's where apt-get can.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL_MS = 15 * 60_000;

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a worker. It ends with the process. */
export function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: findChromium(),
    // Chromium refuses its sandbox to root, which tests in containers are.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  return launched;
}

function findChromium(): string {
  const given = process.env.PETSTORE_CHROMIUM;
  if (given) return given;
  const found = lookAround();
  if (found) return found;
  const canInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  if (canInstall) install();
  const installed = lookAround();
  if (installed) return installed;
  throw new Error(
    'The tests of the console need Chromium. Install it (Debian: apt-get install chromium), or set PETSTORE_CHROMIUM to its path.',
  );
}

function lookAround(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync);
}

function install(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-qq', '--yes', '--no-install-recommends', 'chromium'],
  ]) {
    process.stderr.write(`tests: apt-get ${args.join(' ')} (once; this can take some minutes)\n`);
    execFileSync('apt-get', args, { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS });
  }
}
