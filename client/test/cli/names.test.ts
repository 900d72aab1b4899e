import { beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../../server/test/support/app.ts';
import { runPetstore } from '../support/run-petstore.ts';

let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  app = await testApp({ engine: 'sqlite' });
  env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const pets = [
    { name: 'Rex', categoryId: 1 },
    { name: '犬のレックス', categoryId: 1 },
  ];
  await app.call('POST', '/v1/pets/batch', { body: { pets } });
  await app.call('PATCH', '/v1/inventory/1', { body: { quantity: 5 } });
  await app.call('POST', '/v1/store/orders', { body: { petId: 1 } });
});

async function linesOf(line: string, input = ''): Promise<string[]> {
  const { code, stdout, stderr } = await runPetstore(line.split(' '), { env, input });
  expect(code, stderr).toBe(0);
  return stdout.trimEnd().split('\n');
}

describe('names beside ids', () => {
  it('are in CSV and tables, and not in JSON or with --no-names', async () => {
    const [head, first] = await linesOf('stock list -o csv');
    expect(head).toBe('petId,pet,quantity,reserved,available,status');
    expect(first).toMatch(/^1,Rex,5,1,4,/);
    expect((await linesOf('orders list -o csv'))[1]).toMatch(/^1,1,Rex,1,/);
    expect((await linesOf('pets list -o csv'))[1]).toMatch(/^1,Rex,1,Dogs,available/);
    expect((await linesOf('pets list -o table'))[0]).toMatch(/CATEGORY ID +CATEGORY/);
    expect((await linesOf('stock list -o csv --no-names'))[1]).toMatch(/^1,5,1,4,/);
    expect(JSON.parse((await linesOf('stock list --json'))[0]!)[0]).not.toHaveProperty('pet');
  });

  it('the CSV of the stock, edited, is what stock take reads', async () => {
    const edited = (await linesOf('stock list -o csv')).join('\n').replace('Rex,5', 'Rex,7');
    await linesOf('stock take -', edited);
    expect((await app.call('GET', '/v1/inventory/1')).body.quantity).toBe(7);
  });

  it('wide characters take two columns', async () => {
    const [head, first, second] = await linesOf('stock list -o table --fields pet,quantity');
    expect(head).toBe('  PET           QUANTITY');
    expect(first).toMatch(/^ {2}Rex {18}\d$/);
    expect(second).toMatch(/^ {2}犬のレックス {9}\d$/);
  });
});
