import { expect, test } from 'vitest';
import { csvCell } from '../../src/parts/csv-file.ts';
import { CsvError, parseCsv } from '../../src/screens/catalogue/import/parse-csv.ts';

const cells = (text: string) => parseCsv(text).map((row) => row.cells);

test('splits rows and cells, with and without a line break at the end', () => {
  const rows = [
    ['name', 'category'],
    ['Rex', 'Dogs'],
  ];
  expect(cells('name,category\r\nRex,Dogs\r\n')).toEqual(rows);
  expect(cells('name,category\nRex,Dogs')).toEqual(rows);
  expect(cells('name,category\rRex,Dogs\r')).toEqual(rows);
});

test('keeps delimiters, line breaks and doubled marks inside quotation marks', () => {
  expect(cells('a,b\n"Rex, the ""first""","two\r\nlines"\n')).toEqual([
    ['a', 'b'],
    ['Rex, the "first"', 'two\r\nlines'],
  ]);
});

test('keeps empty cells at every place', () => {
  expect(cells('a,b,c\n,,\n"",x,\ny,,')).toEqual([
    ['a', 'b', 'c'],
    ['', '', ''],
    ['', 'x', ''],
    ['y', '', ''],
  ]);
});

test('takes the delimiter that a first line of a spreadsheet names, and counts that line', () => {
  for (const first of ['sep=;\r\n', '\uFEFFsep=;\n', '"sep=;"\r']) {
    expect(parseCsv(`${first}name;note\r\nRex;"a, b, c"`)).toEqual([
      { line: 2, cells: ['name', 'note'] },
      { line: 3, cells: ['Rex', 'a, b, c'] },
    ]);
  }
  expect(cells('sep=\t\na\tb;c')).toEqual([['a', 'b;c']]);
  expect(cells('sep=,\na;b;c,d')).toEqual([['a;b;c', 'd']]);
  // Not the line that names a delimiter.
  expect(cells('sep,=;\n1,2')).toEqual([
    ['sep', '=;'],
    ['1', '2'],
  ]);
});

test('leaves out empty lines and the byte order mark', () => {
  expect(cells('\uFEFFa,b\n\n\r\n1,2\n\n')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
  expect(cells('')).toEqual([]);
  expect(cells('\uFEFF\n')).toEqual([]);
});

test('reads the semicolons and tabs of spreadsheets', () => {
  expect(cells('name;category\nRex, the first;Dogs')[1]).toEqual(['Rex, the first', 'Dogs']);
  expect(cells('name\tcategory\nRex;x\tDogs')[1]).toEqual(['Rex;x', 'Dogs']);
});

test('a mark inside a cell without marks is text', () => {
  expect(cells('a\n5" pipe')).toEqual([['a'], ['5" pipe']]);
});

test('each row has the line in which it begins', () => {
  const rows = parseCsv('a,b\n"x\ny",1\n\nz,2\n');
  expect(rows.map(({ line }) => line)).toEqual([1, 2, 5]);
});

test('names the line of a mark that is never closed, and of text behind a closing one', () => {
  expect(errorOf('a\nb\n"open\nand on')).toMatchObject({ kind: 'open_quote', line: 3 });
  expect(errorOf('a\n"x"y\n')).toMatchObject({ kind: 'after_quote', line: 2 });
});

function errorOf(text: string): unknown {
  try {
    return parseCsv(text);
  } catch (err) {
    expect(err).toBeInstanceOf(CsvError);
    return err;
  }
}

test('reads back what the export writes', () => {
  const texts = ['plain', 'a,b', 'say "hi"', 'two\nlines', ' spaced ', 'ünï'];
  expect(
    cells(`x,${texts.map(() => 'y').join(',')}\n0,${texts.map(csvCell).join(',')}`)[1],
  ).toEqual(['0', ...texts]);
});
