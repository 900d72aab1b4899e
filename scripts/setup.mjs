// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has: it installs
// what package-lock.json names, the project's own Node among it, when that has not been done yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.petstore-installed`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(readFileSync(`${root}package.json`))
  .digest('hex');
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (installed !== wanted) {
  console.error('petstore: installing what package-lock.json names (about half a minute, once) …');
  // npm ci would refuse a lockfile whose optional packages for other platforms a registry lacks.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (run.status !== 0) {
    console.error('petstore: npm install failed; mend what it says above, then run this again.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
