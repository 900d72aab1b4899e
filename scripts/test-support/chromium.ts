import { findOnPath, findOrInstall } from './install-packages.ts';

/**
 * The browser for tests: the one that PETSTORE_CHROMIUM names, or the headless shell, which is installed if it is missing. It
 * is the same engine without the windows of a browser: a page in it takes less than half of the CPU time. Another browser on
 * the PATH serves where the shell cannot be installed.
 */
export function findChromium(): string {
  const { PETSTORE_CHROMIUM: named } = process.env;
  if (named) return named;
  const shell = 'chromium-headless-shell';
  try {
    return findOrInstall([shell], [shell]);
  } catch (err) {
    const other = findOnPath(['chromium', 'google-chrome']);
    if (!other) throw err;
    return other;
  }
}

/** A container has no user namespaces for the sandbox, and the pages of tests are our own. */
export const chromiumArgs: readonly string[] = ['--no-sandbox'];
