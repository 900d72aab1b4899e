import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { generateApiKey } from '../../src/lib/api-key.ts';
import { freePort } from '../support/free-port.ts';
import { spawnPetstore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A service whose log is on a volume that is full. */
async function startWithoutLog() {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const port = await freePort();
  const { key } = generateApiKey();
  const settings = {
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_PORT: String(port),
    PETSTORE_BOOTSTRAP_KEY: key,
  };
  const child = spawnPetstore(['serve'], settings, { stdout: full });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'close').then(([code]) => code as number | null);
  // The key is stored last. Then the process handles signals.
  const takesKey = () =>
    fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { 'x-api-key': key } }).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(takesKey, { timeout: 60_000 }).toBe(true);
  return { child, exited };
}

it('stops although its log cannot be written', async () => {
  const { child, exited } = await startWithoutLog();
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});

it('exits on a second signal although its log cannot be written', async () => {
  const { child, exited } = await startWithoutLog();
  child.kill('SIGTERM');
  child.kill('SIGINT');
  expect(await exited).toBe(1);
});
