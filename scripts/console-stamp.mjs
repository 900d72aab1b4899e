// When the console has to be built. Runs on the Node of the machine, before the project's own is there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** All that a bundle is made of: the console, and the client that it contains. */
const SOURCES = [
  ['console', /^(src\/.*\.\w+|build\.ts|index\.html|package\.json)$/],
  ['client/src', /^(?!cli\/).*\.ts$/],
];

/**
 * The hash of all that the console is built from. The build writes it to console/dist/stamp.
 * @returns {string}
 */
export function consoleStamp(root = ROOT) {
  const hash = createHash('sha256');
  for (const [folder, wanted] of SOURCES) {
    const path = join(root, folder);
    const files = existsSync(path) ? readdirSync(path, { recursive: true }) : [];
    for (const file of files.map((each) => String(each).replaceAll('\\', '/')).sort()) {
      if (!wanted.test(file)) continue;
      const bytes = readFileSync(join(path, file));
      hash.update(`${folder}/${file} ${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest('hex');
}

/**
 * Builds the console if its sources have changed since the last build, or were never built.
 * @param {string} node the project's own Node
 * @returns {'built' | 'fresh' | 'absent' | 'failed'}
 */
export function buildConsole(node, root = ROOT) {
  if (!existsSync(join(root, 'console/build.ts'))) return 'absent';
  const stamp = join(root, 'console/dist/stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === consoleStamp(root)) return 'fresh';
  const run = spawnSync(node, ['console/build.ts'], { cwd: root, stdio: ['ignore', 2, 2] });
  return run.status === 0 ? 'built' : 'failed';
}
