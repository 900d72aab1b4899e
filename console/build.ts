// Builds the console into dist/: hashed names, gzip and brotli beside each file. `--watch` is not needed: a build takes
// a third of a second.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { consoleStamp } from '../scripts/console-stamp.mjs';

const root = fileURLToPath(new URL('./', import.meta.url));
const dist = `${root}dist/`;
const BASE = '/console/';
/** Pages that were loaded before an upgrade ask for the files of the build before. */
const KEEP_MS = 24 * 3600_000;

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts', 'src/styles/styles.css', 'src/icon.svg'],
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  outdir: dist,
  publicPath: BASE,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['chrome125', 'firefox140', 'safari26'],
  // Calls of `h` take a percent less than those of the automatic runtime, which name the children.
  jsx: 'transform',
  jsxFactory: 'jsxElement',
  jsxFragment: 'jsxFragment',
  inject: ['src/jsx.ts'],
  // That of the console tells the type checker otherwise.
  tsconfigRaw: {},
  loader: { '.woff2': 'file', '.svg': 'copy' },
  minify: true,
  legalComments: 'none',
  write: false,
});

const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(dist.length), contents]));
files.set('index.html', Buffer.from(page([...files.keys()])));
write(files);

function page(names: readonly string[]): string {
  const hashed = (name: string) => {
    const [stem, extension] = name.split('.') as [string, string];
    return names.find((each) => each.startsWith(stem) && each.endsWith(`.${extension}`))!;
  };
  return readFileSync(`${root}index.html`, 'utf8').replace(
    /\{\{([\w.-]+)\}\}/g,
    (_, name: string) => `${BASE}${hashed(name)}`,
  );
}

/** Compressed. Which length of a block fits best, which its memory sets, is a matter of the file. */
function smallest(contents: Uint8Array): Uint8Array {
  const tried = [5, 6, 7, 8, 9].map((memLevel) => gzipSync(contents, { level: 9, memLevel }));
  return tried.reduce((best, each) => (each.length < best.length ? each : best));
}

/** Writes what is new, marks what is still used, and deletes what no page asks for any more. */
function write(files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(dist, { recursive: true });
  for (const [name, contents] of files) {
    writeFileSync(`${dist}${name}`, contents);
    if (name.endsWith('.woff2')) continue;
    writeFileSync(`${dist}${name}.gz`, smallest(contents));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    writeFileSync(`${dist}${name}.br`, brotliCompressSync(contents, quality));
  }
  const now = Date.now();
  for (const name of readdirSync(dist)) {
    if (now - statSync(`${dist}${name}`).mtimeMs > KEEP_MS) rmSync(`${dist}${name}`);
  }
  writeFileSync(`${dist}manifest.json`, JSON.stringify([...files.keys()].sort()));
  writeFileSync(`${dist}stamp`, consoleStamp());
}
