// Runs before `npm start`, `npm test` and `npm run check`, with the Node of the machine. It installs the packages of
// package-lock.json, the project's own Node among them, if they are not installed yet, and builds the console if its
// sources have changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';

const NODE_MAJOR = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.petstore-installed`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(readFileSync(`${root}package.json`))
  .digest('hex');
const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

const fault = oldNode() || missingLibrary() || (isInstalled ? '' : readOnlyFolder());
if (fault) end(fault);
if (!isInstalled) install();

// Imported here: an old Node may not load it.
const { buildConsole } = await import('./console-stamp.mjs');
if (
  process.env.PETSTORE_CONSOLE !== 'off' &&
  buildConsole(`${root}node_modules/.bin/node`) === 'failed'
) {
  console.error(
    'petstore: the console was not built; the service starts without it or with the last one.',
  );
}

function oldNode() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= NODE_MAJOR) return '';
  return `this is Node ${node}, and set-up needs Node ${NODE_MAJOR} or newer: run nvm install ${NODE_MAJOR}, or install it from https://nodejs.org`;
}

/** The project's Node links against libatomic, which minimal images lack. */
function missingLibrary() {
  if (process.platform !== 'linux') return '';
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const { status, stdout } = spawnSync('ldconfig', ['-p'], { env, encoding: 'utf8' });
  if (status !== 0 || stdout.includes('libatomic.so.1')) return '';
  const command = existsSync('/usr/bin/dnf')
    ? 'sudo dnf install libatomic'
    : 'sudo apt-get install libatomic1';
  return `the library libatomic.so.1 is missing: run ${command}`;
}

function readOnlyFolder() {
  const folder = [`${root}node_modules`, root].find((path) => existsSync(path));
  try {
    accessSync(folder, constants.W_OK);
    return '';
  } catch {
    const { username } = userInfo();
    return `${username} cannot write to ${folder}: run sudo chown -R ${username} ${root}`;
  }
}

function install() {
  console.error(
    'petstore: installing the packages of package-lock.json (once, about half a minute) …',
  );
  // Not `npm ci`: it fails if the registry lacks an optional package of another platform. Of all packages, only node
  // needs its script: it fetches the binary.
  npm('install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error');
  npm('rebuild', 'node', '--loglevel=error');
  writeFileSync(stamp, wanted);
}

function npm(...args) {
  const program = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 'ignore', 2] };
  const { status } = program
    ? spawnSync(process.execPath, [program, ...args], options)
    : spawnSync('npm', args, options);
  if (status !== 0) end(`npm ${args[0]} failed: fix what it reports above, then run this again`);
}

function end(message) {
  console.error(`petstore: ${message}`);
  process.exit(1);
}
