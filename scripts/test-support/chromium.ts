import { findOrInstall } from './install-packages.ts';

/** The browser for tests: the one that PETSTORE_CHROMIUM names, or one on the PATH, or Debian's. */
export function findChromium(): string {
  const { PETSTORE_CHROMIUM: named } = process.env;
  return named || findOrInstall(['chromium', 'google-chrome'], 'chromium');
}

/** A container has no user namespaces for the sandbox, and the pages of tests are our own. */
export const chromiumArgs: readonly string[] = ['--no-sandbox'];
