// npm run runtimes: installs the packed client into an empty folder and runs its README's example on every runtime
// that it promises: this Node, the Node of the machine, Node 22, Bun and Deno. The last three come from npm.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packClient } from '../pack-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'petstore-runtimes-'));
const readme = readFileSync(join(root, 'client/README.md'), 'utf8');
const example = /```ts\n(.*?)```/s.exec(readme)![1]!;
const NODE_22 = 'node@22';
const BUN = 'bun@1.4.4';
const DENO = 'deno@2.9.6';
const TYPESCRIPTS = ['5.9', '6.0', '7.0'];
/** Aborts a stream after a garbage collection: weak references differ between runtimes. */
const aborting = readFileSync(join(root, 'client/test/support/abort-after-gc.mjs'), 'utf8');
const EXPECTED = ['Rex', 'insufficient_stock: 1 available'];

const typed = `import { Petstore } from '@petstore/client';
const store = new Petstore({ apiKey: 'key' });
const dogs = await store.categories.create({ name: 'Dogs' });
await store.pets.create({ name: 'Rex', categoryId: dogs.id });
for await (const { name } of store.pets.list({ status: 'available' })) console.log(name.length);
// @ts-expect-error a field that does not exist
await store.pets.create({ nam: 'Rex', categoryId: 1 });
// @ts-expect-error a field that is missing
await store.pets.create({ name: 'Rex' });
// @ts-expect-error a method that does not exist
store.pets.fly();
`;

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8' });
}

function install(...packages: string[]): void {
  console.error(`installing ${packages.join(', ')} …`);
  run('npm', ['install', ...packages, '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Serves an empty store and returns its first key. */
async function serve(): Promise<{ env: NodeJS.ProcessEnv; stop: () => void }> {
  const child = spawn(process.execPath, [join(root, 'server/bin/petstore.js'), 'serve'], {
    env: { ...process.env, PETSTORE_PORT: '0', PETSTORE_DATA_DIR: join(folder, 'data') },
  });
  let output = '';
  return new Promise((resolve) => {
    const read = (chunk: Buffer) => {
      output += String(chunk);
      const apiKey = /^psk_\w+$/m.exec(output)?.[0];
      const url = /ready at (http:\/\/[\d.:]+)/.exec(output)?.[1];
      if (!apiKey || !url) return;
      const env = {
        PATH: process.env.PATH,
        PETSTORE_API_KEY: apiKey,
        PETSTORE_BASE_URL: `${url}/v1`,
      };
      resolve({ env, stop: () => child.kill() });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
}

const failures: string[] = [];
function check(name: string, isOk: boolean, detail = ''): void {
  console.log(`${isOk ? 'ok  ' : 'FAIL'}  ${name}${isOk ? '' : `\n${detail}`}`);
  if (!isOk) failures.push(name);
}

writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
install(packClient(folder));
for (const runtime of [BUN, DENO, NODE_22]) {
  try {
    install(runtime);
  } catch {
    check(`${runtime} can be installed`, false);
  }
}
const { env, stop } = await serve();
try {
  const bin = (name: string) => join(folder, 'node_modules/.bin', name);
  const gc = '--expose-gc';
  const deno = ['run', `--v8-flags=${gc}`, '--allow-env', '--allow-net'];
  const runtimes: [string, string, string[]][] = [
    ['Node of the project', process.execPath, [gc]],
    ['Node of the machine', '/usr/bin/env', ['node', gc]],
    ['Node 22', join(folder, 'node_modules/node/bin/node'), [gc]],
    ['Bun', bin('bun'), ['run']],
    ['Deno', bin('deno'), [...deno, '--node-modules-dir=manual']],
  ];
  writeFileSync(join(folder, 'aborting.mjs'), aborting);
  for (const [at, [name, command, args]] of runtimes.entries()) {
    const file = `example-${at}.mjs`;
    writeFileSync(join(folder, file), example.replace("'Dogs'", `'Dogs ${at}'`));
    const path = (process.env.PATH ?? '')
      .split(':')
      .filter((each) => !each.includes('node_modules'));
    try {
      const output = run(command, [...args, file], { ...env, PATH: path.join(':') });
      check(
        name,
        EXPECTED.every((line) => output.includes(line)),
        output,
      );
      const aborted = run(command, [...args, 'aborting.mjs'], { PATH: path.join(':') });
      check(`${name}, aborts after a collection`, aborted === 'aborted\n'.repeat(3), aborted);
    } catch (err) {
      check(name, false, String(err));
    }
  }
  writeFileSync(join(folder, 'typed.mts'), typed);
  for (const version of TYPESCRIPTS) {
    install(`typescript@${version}`);
    for (const [module, resolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes'];
      const target = ['--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'];
      const modules = ['--module', module, '--moduleResolution', resolution];
      try {
        run(bin('tsc'), [...flags, ...target, ...modules, 'typed.mts']);
        check(`TypeScript ${version}, ${resolution}`, true);
      } catch (err) {
        check(`TypeScript ${version}, ${resolution}`, false, (err as { stdout?: string }).stdout);
      }
    }
  }
} finally {
  stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures.length > 0 ? 1 : 0;
