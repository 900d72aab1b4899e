import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
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
  return { child, exited, port, key };
}

it('stops although its log cannot be written', async () => {
  const { child, exited } = await startWithoutLog();
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});

it('exits on a second signal although its log cannot be written', async () => {
  const { child, exited, port, key } = await startWithoutLog();
  // A request that does not end keeps the service from stopping by itself.
  const held = connect(port, '127.0.0.1');
  held.on('error', () => {});
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n`;
  held.write(`${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n`);
  // Its head has been read once requests that came after it are answered.
  for (let i = 0; i < 3; i++) await fetch(`http://127.0.0.1:${port}/healthz`);
  child.kill('SIGTERM');
  // Those that come soon after the first count as the same one.
  const again = setInterval(() => child.kill('SIGINT'), 200);
  onTestFinished(() => clearInterval(again));
  expect(await exited).toBe(1);
  held.destroy();
});
