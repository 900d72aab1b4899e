import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../server/test/support/app.ts';
import { temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { csvRows } from '../../src/cli/actions/csv-rows.ts';
import { csv } from '../../src/cli/output.ts';
import { runPetstore } from '../support/run-petstore.ts';

const names = [
  'Rex "the" dog',
  'Bello, the 2nd',
  'Bärbel Großkatze 🐕',
  '=SUM(A1)',
  "O'Malley",
  'a;b\\c',
  '"',
];

it('pets that are exported as CSV are imported as they were', async () => {
  const app = await testApp({ engine: 'sqlite' });
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  await app.call('POST', '/v1/categories', { body: { name: 'Dogs' } });
  const pets = names.map((name, at) => ({
    name,
    categoryId: 1,
    status: at === 0 ? 'sold' : 'available',
  }));
  await app.call('POST', '/v1/pets/batch', { body: { pets } });
  const env = { PETSTORE_API_KEY: app.key, PETSTORE_BASE_URL: `${app.address}/v1` };
  const exported = await runPetstore(['pets', 'list', '--all', '-o', 'csv'], { env });
  expect(exported.code).toBe(0);
  const file = join(folder.path, 'pets.csv');
  writeFileSync(file, exported.stdout);
  const imported = await runPetstore(['pets', 'import', file], { env });
  expect(imported.code, imported.stderr).toBe(0);
  const { body } = await app.call('GET', '/v1/pets?limit=100');
  const seen = body.map(({ name, status }: { name: string; status: string }) => ({ name, status }));
  expect(seen.slice(names.length)).toEqual(seen.slice(0, names.length));
  expect(seen).toHaveLength(2 * names.length);
});

it('a cell with line breaks and commas is quoted, and an absent one is empty', () => {
  const records = [{ id: 1, name: 'first line\nsecond, "quoted"' }, { id: 2 }];
  expect(csv(records, ['id', 'name'], true)).toBe(
    'id,name\n1,"first line\nsecond, ""quoted"""\n2,\n',
  );
});

it('a text that a spreadsheet would run as a formula gets a quote in front, a number does not', () => {
  const records = [{ name: '=SUM(A1)', delta: -2 }, { name: '@me' }, { name: 'a=b' }];
  expect(csv(records, ['name', 'delta'], false)).toBe("'=SUM(A1),-2\n'@me,\na=b,\n");
});

it.each([
  ['a semicolon, CRLF and a byte order mark', '\uFEFFpetId;name\r\n1;"a;b\r\nc"\r\n\r\n2;d\r\n'],
  ['tabs', 'petId\tname\n1\t"a;b\r\nc"\n\n2\td\n'],
  ['CR alone', 'petId,name\r1,"a;b\r\nc"\r\r2,d'],
  ['names in other letters, and an ignored one', ' PETID ,Status,Name\n1,sold,"a;b\r\nc"\n\n2,,d'],
])('a file with %s is read, and its lines are counted', (_, text) => {
  expect(csvRows(text, ['petId', 'name'], ['status'])).toEqual([
    { line: 2, cells: { petId: '1', name: 'a;b\r\nc' } },
    { line: 5, cells: { petId: '2', name: 'd' } },
  ]);
});
