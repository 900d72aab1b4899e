import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import { expectError } from '../support/contract.ts';

// The first integer that JavaScript cannot distinguish from the next one.
const NEIGHBOUR = '9007199254740992';
const ROUNDED = '9007199254740993';

it('never answers with the record that a rounded id would name', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const category = await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const categoryId = category.body.id as number;
  const pet = await app.call('POST', '/v1/pets', { body: { name: 'Rex', categoryId } });
  const db = new Database(`${app.config.PETSTORE_DATA_DIR}/petstore.db`);
  db.pragma('foreign_keys = OFF');
  db.prepare(`UPDATE pets SET id = ${NEIGHBOUR} WHERE id = ?`).run(pet.body.id);
  db.close();
  for (const id of [NEIGHBOUR, ROUNDED]) {
    expectError(await app.call('GET', `/v1/pets/${id}`), 'not_found');
    expectError(await app.call('DELETE', `/v1/pets/${id}`), 'not_found');
    expectError(await app.call('GET', `/v1/inventory/${id}`), 'not_found');
    expect((await app.call('GET', `/v1/pets?id=${id}`)).body).toEqual([]);
  }
});
