// A service of its own with the demo store, on a free port, for pictures and measurements.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../server/bin/petstore.js', import.meta.url));

export interface DemoService {
  url: string;
  key: string;
  stop: () => Promise<void>;
}

export async function startDemo(): Promise<DemoService> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-demo-'));
  const port = await freePort();
  const env = {
    ...process.env,
    PETSTORE_DATA_DIR: folder,
    PETSTORE_PORT: String(port),
    // Webhooks may reach this machine.
    PETSTORE_WEBHOOK_ALLOW: '127.0.0.1',
  };
  const service = spawn(process.execPath, [program, 'serve'], { env });
  const key = await new Promise<string>((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk;
      const found = /psk_[0-9A-Za-z]{50}/.exec(text);
      if (found && text.includes(String(port))) resolve(found[0]);
    };
    service.stdout.on('data', read);
    service.stderr.on('data', read);
    service.on('exit', () => reject(new Error(`The service did not start:\n${text}`)));
  });
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], { env, stdio: 'ignore' });
  run('server', 'demo');
  run('server', 'workspaces', 'update', '1', '--plan', 'business');
  const ended = new Promise((resolve) => service.once('exit', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    stop: async () => {
      service.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
