// A request that failed can be looked up, and requests can be followed as they are logged.

import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { runPetstore, startPetstore } from '../support/run-petstore.ts';

const WAIT = { timeout: 60_000, interval: 50 };
let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
});

it('a failed command prints the line that looks its request up', async () => {
  const failed = await runPetstore(['orders', 'get', '999999'], { env });
  expect(failed.code).toBe(1);
  const [, line] = /^petstore: look it up with petstore (requests get \S+)$/m.exec(failed.stderr)!;
  const found = await runPetstore([...line!.split(' '), '--json'], { env });
  expect(JSON.parse(found.stdout)).toMatchObject({ status: 404, operationId: 'getOrder' });
});

it('a list that lacks the record is no request to look up', async () => {
  const { code, stderr } = await runPetstore(['pets', 'get', '999999'], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^petstore: No pet 999999 in this workspace\. \(not_found, request \S+\)\n$/,
  );
});

it('without a valid key there is nothing to look up', async () => {
  const wrong = { ...env, PETSTORE_API_KEY: 'psk_wrong' };
  const { code, stderr } = await runPetstore(['orders', 'get', '1'], { env: wrong });
  expect(code).toBe(4);
  expect(stderr).not.toContain('look it up');
});

it('petstore requests tail prints each request once, as it is logged, with the filters', async () => {
  await runPetstore(['orders', 'get', '888888'], { env });
  const running = startPetstore(
    ['requests', 'tail', '--status', '4xx', '--fields', 'status,path'],
    { env },
  );
  onTestFinished(() => running.interrupt());
  const post = (name: string) => app.call('POST', '/v1/categories', { body: { name } });
  await vi.waitFor(async () => {
    await app.call('GET', '/v1/store/orders/777777');
    expect(running.output.stdout).toContain('777777');
  }, WAIT);
  await post('Written');
  await app.call('GET', '/v1/store/orders/777778');
  await vi.waitFor(() => expect(running.output.stdout).toContain('777778'), WAIT);
  await app.call('GET', '/v1/store/orders/777779');
  await vi.waitFor(() => expect(running.output.stdout).toContain('777779'), WAIT);
  running.interrupt();
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout).not.toContain('888888');
  expect(stdout).not.toContain('categories');
  for (const id of ['777778', '777779']) {
    expect(stdout.match(new RegExp(`404\t/v1/store/orders/${id}\n`, 'g'))).toHaveLength(1);
  }
});
