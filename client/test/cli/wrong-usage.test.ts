// Wrong usage is refused before anything is sent or changed.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { runPetstore } from '../support/run-petstore.ts';

const folder = temporaryFolder();

/** A service that takes everything, and what it was sent. */
async function recordingService() {
  const sent: string[] = [];
  const server = createServer(({ method, url }, res) => {
    sent.push(`${method} ${url}`);
    res.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    XDG_CONFIG_HOME: folder.path,
    PETSTORE_API_KEY: 'psk_test',
    PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1`,
  };
  return { sent, env };
}

describe('an output format that does not exist', () => {
  it.each([
    ['orders place --pet-id 1', ''],
    ['account keys create --name CI --scopes read', ''],
    ['pets delete 1 --yes', ''],
    ['stock take -', 'petId,quantity\n1,5\n'],
  ])('is refused before `%s` changes anything', async (line, input) => {
    const { sent, env } = await recordingService();
    const { code, stderr } = await runPetstore([...line.split(' '), '-o', 'jsn'], { env, input });
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toContain('-o must be one of table, json');
  });
});
