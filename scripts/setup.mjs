// Runs before `npm start`, `npm test` and `npm run check`, with the Node of the machine. It installs the packages of
// package-lock.json, the project's own Node among them, if they are not installed yet, and builds the console if its
// sources have changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console-stamp.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.petstore-installed`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(readFileSync(`${root}package.json`))
  .digest('hex');
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (installed !== wanted) {
  console.error(
    'petstore: installing the packages of package-lock.json (once, about half a minute) …',
  );
  // Not `npm ci`: it fails if the registry lacks an optional package of another platform.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (run.status !== 0) {
    console.error('petstore: npm install failed; fix what it reports above, then run this again.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}

if (
  process.env.PETSTORE_CONSOLE !== 'off' &&
  buildConsole(`${root}node_modules/.bin/node`) === 'failed'
) {
  console.error(
    'petstore: the console was not built; the service starts without it or with the last one.',
  );
}
