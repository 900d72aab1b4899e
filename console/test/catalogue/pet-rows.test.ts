import { expect, test } from 'vitest';
import {
  costOf,
  type PetFile,
  readPets,
  refusedRows,
} from '../../src/screens/catalogue/import/pet-rows.ts';

const categories = [
  { id: 1, name: 'Dogs' },
  { id: 2, name: 'Small animals' },
];
const read = (text: string) => readPets(text, categories) as PetFile;

test('finds a category by its name, whatever its case, or by its number', () => {
  const { rows } = read('name,category\nRex,DOGS\nPip,small animals\nZed,7\n');
  expect(rows.map(({ pet }) => pet)).toEqual([
    { name: 'Rex', categoryId: 1 },
    { name: 'Pip', categoryId: 2 },
    { name: 'Zed', categoryId: 7 },
  ]);
});

test('a column of ids names a category by its id, also if another category is called like that', () => {
  const named = [...categories, { id: 9, name: '2' }];
  const idOf = (column: string) =>
    (readPets(`name,${column}\nRex,2\n`, named) as PetFile).rows[0]!.pet?.categoryId;
  expect(['category', 'categoryId', 'category_id'].map(idOf)).toEqual([9, 2, 2]);
});

test('columns are found by their names, in any order; others are named and not read', () => {
  const file = read('id,Status,CategoryId,Name\n9,Pending,1,Rex\n');
  expect(file.ignored).toEqual(['id']);
  expect(file.rows[0]!.pet).toEqual({ name: 'Rex', categoryId: 1, status: 'pending' });
});

test('references and thresholds are imported', () => {
  const { rows, ignored } = read(
    'name,category,Reference,lowStockAt\nRex,Dogs,DOG-7,0\nPip,Dogs,,1000000\n',
  );
  expect(ignored).toEqual([]);
  const [rex, pip] = rows.map(({ pet }) => pet);
  expect(rex).toEqual({ name: 'Rex', categoryId: 1, reference: 'DOG-7', lowStockAt: 0 });
  expect(pip).toEqual({ name: 'Pip', categoryId: 1, lowStockAt: 1_000_000 });
});

test('a threshold that is no whole number of units is not sent, and says so in its line', () => {
  const wrong = ['-1', `'-1`, '2.5', '1000001', 'many'];
  const { rows } = read(
    `name,category,lowStockAt\n${wrong.map((each) => `Rex,Dogs,${each}\n`).join('')}`,
  );
  const why = (text: string) =>
    `“${text}” is not a threshold. Use a whole number from 0 to 1,000,000.`;
  expect(rows.map(({ line, pet, problem }) => [line, pet, problem])).toEqual([
    [2, undefined, why('-1')],
    [3, undefined, why('-1')],
    [4, undefined, why('2.5')],
    [5, undefined, why('1000001')],
    [6, undefined, why('many')],
  ]);
});

test('a row that the service would refuse is not sent, and says why', () => {
  const long = 'x'.repeat(201);
  const { rows } = read(
    `name,category,status\n,Dogs,\nRex,,\nRex,Dogs,wild\n${long},Dogs,\nRex,${long},\n`,
  );
  expect(rows.map(({ pet }) => pet)).toEqual(Array(5).fill(undefined));
  expect(rows.map(({ problem }) => problem)).toEqual([
    'The name is missing.',
    'The category is missing.',
    '“wild” is not a status. Use available, pending or sold.',
    'The name has more than 200 characters.',
    'The name of the category has more than 200 characters.',
  ]);
});

test('rows without any text are left out, and the others keep their lines', () => {
  const { rows } = read('name,category,status\nRex,Dogs,\n,,\n \n"",\t,\nPip,Dogs,\n,,\n');
  expect(rows.map(({ line, name, problem }) => [line, name, problem])).toEqual([
    [2, 'Rex', undefined],
    [6, 'Pip', undefined],
  ]);
  expect(read(`name,category\n${'Rex,Dogs\n'.repeat(1_000)},\n`).rows).toHaveLength(1_000);
  expect(readPets('name,category\n,\n', categories)).toContain('no rows');
});

test('categories that are not there yet are named once each', () => {
  const { rows, missing } = read('name,category\nA,Dragons\nB,Dogs\nC,DRAGONS\nD,Newts\n');
  expect(missing).toEqual(['DRAGONS', 'Newts']);
  expect(rows[0]!.pet).toEqual({ name: 'A', categoryId: 'Dragons' });
});

test('a file that cannot be imported says why', () => {
  expect(readPets('name\nRex\n', categories)).toContain('no column “category”');
  expect(readPets('title,category\nRex,Dogs\n', categories)).toContain('no column “name”');
  expect(readPets('name,category\n', categories)).toContain('no rows');
  expect(readPets('', categories)).toContain('no rows');
  expect(readPets('name,category\n"Rex,Dogs\n', categories)).toContain('line 2');
  expect(readPets('name,category\nR\uFFFDx,Dogs\n', categories)).toContain('UTF-8');
});

test('takes 1,000 rows and no more', () => {
  const rows = (count: number) => `name,category\n${'Rex,Dogs\n'.repeat(count)}`;
  expect(read(rows(1_000)).rows).toHaveLength(1_000);
  expect(readPets(rows(1_001), categories)).toContain('1,001 rows');
});

test('the quote that the export puts before a formula is not part of the name', () => {
  const { rows } = read(`name,category\n'=SUM(1),Dogs\n'Rex',Dogs\n`);
  expect(rows.map(({ name }) => name)).toEqual(['=SUM(1)', `'Rex'`]);
});

test('costs one request for every 100 rows', () => {
  expect([1, 100, 101, 1_000].map(costOf)).toEqual([1, 1, 2, 10]);
});

test('puts the errors of the service beside the rows that were sent, by line', () => {
  const { rows } = read('name,category\nA,\nB,Dogs\nC,999\nD,Dogs\n');
  const pet = { id: 1, name: 'x', categoryId: 1, status: 'available' as const };
  const refused = refusedRows(rows, [
    { pet },
    { errors: [{ field: 'categoryId', message: 'names no category of this workspace' }] },
    { pet },
  ]);
  expect(refused.map(({ line, name, problem }) => [line, name, problem])).toEqual([
    [2, 'A', 'The category is missing.'],
    [4, 'C', 'Category names no category of this workspace'],
  ]);
});
