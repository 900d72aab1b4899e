import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WAIT = { timeout: 60_000, interval: 50 };

it('a SIGTERM to npm stops the service', async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  // The packages are installed, so the script before it is left out.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    env: { ...process.env, PETSTORE_DATA_DIR: folder.path, PETSTORE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  // Ends a service that npm has left behind.
  onTestFinished(() => {
    try {
      process.kill(-npm.pid!, 'SIGKILL');
    } catch {
      // All have ended.
    }
  });
  let output = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const closed = once(npm, 'close');
  await vi.waitFor(() => expect(output).toContain('petstore is ready'), WAIT);
  npm.kill('SIGTERM');
  // The service writes to the same stream, so it closes when both have ended.
  await closed;
  expect(output).toContain('"msg":"stopped"');
});
