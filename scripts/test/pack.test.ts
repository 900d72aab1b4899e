import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { packServer } from '../pack.ts';
import { packClient } from '../pack-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const READY = /ready at (http:\/\/[\d.:]+)/;

function install(folder: string, tarball: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', tarball, ...options];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, 'node_modules/.bin/petstore');
}

const { path: folder, remove } = temporaryFolder();
afterAll(remove);

it('the packed server and client, installed into empty folders, serve and use a store', async () => {
  // Both make the folder that they write to.
  const packages = join(folder, 'packages');
  const server = install(join(folder, 'server'), packServer(join(packages, 'server')));
  const client = install(join(folder, 'client'), packClient(join(packages, 'client')));
  const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH, HOME: folder, PETSTORE_DATA_DIR: join(folder, 'data'), PETSTORE_PORT: '0' };

  const service = spawn(server, ['server', 'start'], { env });
  onTestFinished(() => void service.kill('SIGKILL'));
  let output = '';
  for (const stream of [service.stdout, service.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  await expect.poll(() => output).toMatch(READY);
  const [, url] = READY.exec(output)!;
  const [key] = /^psk_\w+$/m.exec(output)!;
  expect((await fetch(`${url}/console/`)).status).toBe(200);

  const credentials = { PATH, PETSTORE_API_KEY: key, PETSTORE_BASE_URL: `${url}/v1` };
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { env: { ...env, ...credentials }, encoding: 'utf8' });
  run(server, 'server', 'demo', '--pets', '3');
  const pets = run(client, 'pets', 'list', '--json');
  expect(JSON.parse(pets)).toHaveLength(3);
  expect(run(server, 'pets', 'list', '--json')).toBe(pets);

  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
});

it('the image is built from the files that are packed, out of what the Dockerfile copies', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, files = '', build = ''] = dockerfile.split(/^FROM .*$/m);
  const context = join(folder, 'context');
  for (const line of files.match(/^COPY .*$/gm)!) {
    const words = line.split(/\s+/).slice(1);
    const to = words.pop()!;
    for (const from of words) {
      const name = to.endsWith('/') ? join(to, from.split('/').at(-1)!) : to;
      cpSync(join(root, from), join(context, name), { recursive: true });
    }
  }
  linkPackages(join(context, 'node_modules'));
  expect(files).toMatch(/^RUN node scripts\/pack\.ts --stage \/petstore$/m);
  const args = ['scripts/pack.ts', '--stage', join(folder, 'image')];
  execFileSync(process.execPath, args, { cwd: context, stdio: ['ignore', 'ignore', 'inherit'] });
  const installed = join(folder, 'server/node_modules/petstore');
  expect(contents(join(folder, 'image'))).toEqual(contents(installed));
  expect(build).toMatch(/^COPY --from=files \/petstore\/ \.\/$/m);
  // Whatever else the image has comes from the registry, except the check of its health.
  const copied = build
    .match(/^COPY (?!--from).*$/gm)!
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(copied.filter((file) => !/package(-lock)?\.json$|^\.npmrc$/.test(file))).toEqual([
    'deploy/healthcheck.mjs',
  ]);
});

/** The installed packages, and the workspaces of this tree. */
function linkPackages(folder: string): void {
  mkdirSync(join(folder, '@petstore'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@petstore') symlinkSync(join(root, 'node_modules', name), join(folder, name));
  }
  for (const name of ['client', 'console', 'server']) {
    symlinkSync(`../../${name}`, join(folder, '@petstore', name));
  }
}

/** The names of all files. Those of the console follow from its sources, of which the stamp is the hash. */
function contents(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const stamp = readFileSync(join(folder, 'console/dist/stamp'), 'utf8');
  // A service that has run from it leaves the code that Node has compiled.
  const isBuilt = (name: string) => /^(console\/dist\/|node_modules\/\.cache)/.test(name);
  return [...names.filter((name) => !isBuilt(name)), stamp];
}
