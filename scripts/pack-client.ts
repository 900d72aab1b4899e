// Builds the package that is published: JavaScript, types and a package.json of its own, packed by npm.
// `node scripts/pack-client.ts FOLDER` prints the path of the tarball; `npm run pack` packs the server too.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../client/', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));

const LIBRARY = ['petstore.ts', 'testing.ts'];
/** Programs start it and import none of it, so it has no types. */
const COMMAND_LINE = 'cli/petstore.ts';

export function packClient(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'petstore-client-'));
  try {
    const compilerOptions = [
      ['--outDir', join(staging, 'dist')],
      ['--rootDir', join(client, 'src')],
      ['--module', 'nodenext'],
      ['--target', 'es2022'],
      // What the oldest Node that is promised has: what is newer does not compile.
      ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable'],
      ['--types', 'node'],
    ].flat();
    const flags = [
      '--ignoreConfig',
      '--skipLibCheck',
      '--strict',
      '--rewriteRelativeImportExtensions',
    ];
    const compile = (sources: readonly string[], ...output: string[]) => {
      const files = sources.map((file) => join(client, 'src', file));
      run(process.execPath, [tsc, ...flags, ...output, ...compilerOptions, ...files], client);
    };
    compile(LIBRARY, '--declaration', '--emitDeclarationOnly');
    // Editors show the comments of the types. Nothing shows those of the code.
    compile([...LIBRARY, COMMAND_LINE], '--removeComments');
    writeFileSync(join(staging, 'package.json'), JSON.stringify(manifest(), null, 2));
    cpSync(join(client, 'README.md'), join(staging, 'README.md'));
    const packed = run('npm', ['pack', '--json', '--pack-destination', resolve(folder)], staging);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    return join(resolve(folder), filename);
  } finally {
    rmSync(staging, { recursive: true });
  }
}

function manifest(): object {
  const {
    private: _,
    exports: _exports,
    ...rest
  } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Record<string, unknown>;
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  return {
    ...rest,
    files: ['dist'],
    engines: { node: '>=20.19' },
    bin: { petstore: 'dist/cli/petstore.js' },
    exports: {
      '.': entry('petstore'),
      './testing': entry('testing'),
      './cli': './dist/cli/main.js',
    },
  };
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

if (import.meta.main) console.log(packClient(process.argv[2] ?? '.'));
