import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { packClient } from '../../scripts/pack-client.ts';
import { type TestApp, testApp } from '../../server/test/support/app.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const example = /```ts\n(.*?)```/s.exec(README)![1]!;

/** Every Node on the PATH: the project's own, and the one that the machine has. */
const nodes = [...new Set([process.execPath, ...nodesOnPath()].map((path) => realpathSync(path)))];
const folder = temporaryFolder();
let app: TestApp;

function nodesOnPath(): string[] {
  return execFileSync('which', ['-a', 'node'], { encoding: 'utf8' }).trim().split('\n');
}

beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  const tarball = packClient(folder.path);
  expect(statSync(tarball).size).toBeLessThan(100_000);
  writeFileSync(join(folder.path, 'package.json'), '{"private":true}');
  const args = ['install', tarball, '--no-audit', '--no-fund', '--loglevel=error', '--offline'];
  execFileSync('npm', args, { cwd: folder.path, stdio: ['ignore', 'ignore', 'inherit'] });
});

async function run(
  node: string,
  file: string,
  code: string,
  flags: string[] = [],
): Promise<string> {
  writeFileSync(join(folder.path, file), code);
  const key = await app.addKey(['read', 'write']);
  return new Promise((resolve, reject) => {
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${app.address}/v1` };
    execFile(node, [...flags, file], { cwd: folder.path, env }, (err, stdout, stderr) => {
      if (err) reject(new Error(stderr));
      else resolve(stdout);
    });
  });
}

describe.each(nodes)('the packed client on %s', (node) => {
  it("runs the README's example", async () => {
    const name = `Dogs of ${nodes.indexOf(node)}`;
    const output = await run(node, 'example.mjs', example.replace("'Dogs'", `'${name}'`));
    expect(output).toContain('Rex\n');
    expect(output).toContain('insufficient_stock: 1 available\n');
  });

  it('aborts what is being read also after a garbage collection', async () => {
    const code = readFileSync(new URL('support/abort-after-gc.mjs', import.meta.url), 'utf8');
    const output = await run(node, 'abort.mjs', code, ['--expose-gc']);
    expect(output).toBe('aborted\n'.repeat(3));
  });

  it('can be required', async () => {
    const code = "console.log(typeof require('@petstore/client').Petstore);";
    expect(await run(node, 'required.cjs', code)).toBe('function\n');
  });

  it('has a fetch for tests', async () => {
    const code = `import { Petstore } from '@petstore/client';
      import { scriptedFetch } from '@petstore/client/testing';
      const fetch = scriptedFetch([{ body: { id: 7 } }]);
      console.log((await new Petstore({ fetch }).orders.get(7)).id, fetch.requests.length);`;
    expect(await run(node, 'scripted.mjs', code)).toBe('7 1\n');
  });

  it('has a command line that needs no server', async () => {
    const env = {
      PATH: `${dirname(node)}:/usr/bin:/bin`,
      HOME: folder.path,
      PETSTORE_API_KEY: app.key,
      PETSTORE_BASE_URL: `${app.address}/v1`,
    };
    const petstore = (...args: string[]) =>
      promisify(execFile)(join(folder.path, 'node_modules/.bin/petstore'), args, { env });
    await petstore('categories', 'create', '--name', `Packed ${nodes.indexOf(node)}`);
    const { stdout } = await petstore('categories', 'list', '--name', 'Packed', '--json');
    expect(JSON.parse(stdout)[nodes.indexOf(node)].name).toBe(`Packed ${nodes.indexOf(node)}`);
    const picks = await petstore('orders', 'pick-list', '-o', 'csv');
    expect(picks.stdout).toBe('petId,pet,quantity,orders\n');
    expect((await petstore('version')).stdout).toBe('1.0.0\n');
    expect((await petstore('--help')).stdout).not.toContain('On this machine');
    expect(readdirSync(join(folder.path, 'node_modules'))).not.toContain('better-sqlite3');
  });
});
