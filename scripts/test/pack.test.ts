import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { packServer } from '../pack.ts';
import { packClient } from '../pack-client.ts';

const READY = /ready at (http:\/\/[\d.:]+)/;

function install(folder: string, tarball: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', tarball, '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, 'node_modules/.bin/petstore');
}

it('the packed server and client, installed into empty folders, serve and use a store', async () => {
  const { path: folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const server = install(join(folder, 'server'), packServer(folder));
  const client = install(join(folder, 'client'), packClient(folder));
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
