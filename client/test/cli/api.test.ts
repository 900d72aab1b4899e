import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runPetstore } from '../support/run-petstore.ts';

it('petstore api sends braces as they are typed', async () => {
  const sent: string[] = [];
  const server = createServer(({ url }, res) => {
    sent.push(decodeURIComponent(url!));
    res.end('[]');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { PETSTORE_API_KEY: 'psk_test', PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const { code } = await runPetstore(['api', 'GET', '/pets?name={Rex}'], { env });
  expect([code, sent]).toEqual([0, ['/v1/pets?name={Rex}']]);
});
