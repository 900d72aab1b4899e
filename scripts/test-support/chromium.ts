import { findOrInstall } from './install-packages.ts';

/**
 * The browser for tests: the one that PETSTORE_CHROMIUM names, or one on the PATH, or Debian's. The headless shell is the
 * same engine without the windows of a browser: a page in it takes less than half of the CPU time.
 */
export function findChromium(): string {
  const { PETSTORE_CHROMIUM: named } = process.env;
  const shell = 'chromium-headless-shell';
  return named || findOrInstall([shell, 'chromium', 'google-chrome'], [shell]);
}

/** A container has no user namespaces for the sandbox, and the pages of tests are our own. */
export const chromiumArgs: readonly string[] = ['--no-sandbox'];
