import { readFileSync, statSync } from 'node:fs';

/** The size of the compressed files of the build whose names match, in kB. Throws if there are none. */
export function gzipOf(dist: string, pattern: RegExp): number {
  const names: string[] = JSON.parse(readFileSync(`${dist}manifest.json`, 'utf8'));
  const matching = names.filter((name) => pattern.test(name));
  if (matching.length === 0) throw new Error(`the build has no file that matches ${pattern}`);
  const bytes = matching.map((name) => statSync(`${dist}${name}.gz`).size);
  return bytes.reduce((sum, each) => sum + each, 0) / 1024;
}
