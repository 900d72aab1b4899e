// npm run pack: builds what is published, packed by npm. `petstore` is the server with the console and the command line,
// `@petstore/client` the client with the command line over the API. `node scripts/pack.ts FOLDER` prints both paths, and
// makes the folder if there is none. `node scripts/pack.ts --stage FOLDER` writes the files of `petstore` without packing
// them, for the container image.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildConsole } from './console-stamp.mjs';
import { packClient } from './pack-client.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const CLIENT = 'node_modules/@petstore/client';

interface Manifest {
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
  exports: Record<string, string>;
}

/**
 * Writes the files of the package. Node strips no types inside node_modules, so it has JavaScript, in the folders of the
 * repository.
 */
export function stageServer(staging: string): void {
  compile(staging);
  mkdirSync(join(staging, 'node_modules/@petstore'), { recursive: true });
  renameSync(join(staging, 'client'), join(staging, CLIENT));
  writeManifests(staging);
  copyFiles(staging);
}

export function packServer(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'petstore-server-'));
  try {
    stageServer(staging);
    const packed = run('npm', ['pack', '--json', '--pack-destination', resolve(folder)], staging);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    return join(resolve(folder), filename);
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** Every file by itself, as Node strips its types: `npm run check` has checked them. */
function compile(staging: string): void {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const options = [
    ['--outDir', staging],
    ['--rootDir', root],
    ['--module', 'nodenext'],
    ['--target', 'esnext'],
    ['--lib', 'es5'],
  ].flat();
  const flags = [
    '--ignoreConfig',
    '--noCheck',
    '--noResolve',
    '--verbatimModuleSyntax',
    '--rewriteRelativeImportExtensions',
  ];
  const files = globSync('{server,client}/src/**/*.ts', { cwd: root });
  run(process.execPath, [tsc, ...flags, ...options, ...files.sort()], root);
}

function writeManifests(staging: string): void {
  const server = manifestOf('server');
  const client = manifestOf('client');
  const { version, description, license } = manifestOf('.');
  const manifest = {
    name: 'petstore',
    version,
    description,
    license,
    type: 'module',
    bin: { petstore: 'server/bin/petstore.js' },
    files: ['server', 'console'],
    engines: { node: '>=26' },
    dependencies: server.dependencies,
    // The client in the package, so that both are of one version.
    bundleDependencies: ['@petstore/client'],
  };
  const exported = Object.entries(client.exports).map(([name, file]) => [
    name,
    file.replace(/\.ts$/, '.js'),
  ]);
  writeFileSync(join(staging, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(
    join(staging, CLIENT, 'package.json'),
    JSON.stringify({ ...client, exports: Object.fromEntries(exported) }, null, 2),
  );
}

/** What the compiler leaves out: the program, SQL, scripts of Valkey and the built console. */
function copyFiles(staging: string): void {
  if (buildConsole(process.execPath) === 'failed') throw new Error('the console was not built');
  const program = readFileSync(join(root, 'server/bin/petstore.js'), 'utf8');
  mkdirSync(join(staging, 'server/bin'));
  writeFileSync(
    join(staging, 'server/bin/petstore.js'),
    program.replace('../src/main.ts', '../src/main.js'),
    { mode: 0o755 },
  );
  const data = [
    'server/src/datastore/migrations',
    'server/src/limits/valkey/scripts',
    'console/dist',
  ];
  for (const path of data) cpSync(join(root, path), join(staging, path), { recursive: true });
  cpSync(join(root, 'README.md'), join(staging, 'README.md'));
}

function manifestOf(workspace: string): Manifest {
  return JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')) as Manifest;
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { stage: { type: 'string' } },
    allowPositionals: true,
  });
  const [folder = '.'] = positionals;
  if (values.stage) stageServer(resolve(values.stage));
  else for (const pack of [packServer, packClient]) console.log(pack(folder));
}
