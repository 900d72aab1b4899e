import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ImportedRow, rowReaderFor } from '../../src/cli/import-rows.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NOT_READ = 'the lines after it were not read';
const QUOTE = `is not valid CSV: a quote is not closed or stands inside a cell; ${NOT_READ}`;

/** The rows of a file, read in chunks of some bytes. */
async function rowsOf(name: string, text: string | Buffer, highWaterMark = 65_536) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, name);
  writeFileSync(file, text);
  const rows: ImportedRow[] = [];
  for await (const row of rowReaderFor(file)(createReadStream(file, { highWaterMark }))) {
    rows.push(row);
  }
  return rows;
}

const namesIn = (rows: readonly ImportedRow[]) =>
  rows.map((row) => ('value' in row ? (row.value as { name: string }).name : row));
const fault = (line: number, message: string) => ({
  line,
  lastLine: line,
  fault: { field: '', message },
});

describe('CSV', () => {
  it.each([
    ['a quote inside a cell', 'B"x,Zoo', QUOTE],
    ['text after a closing quote', '"B"x,Zoo', QUOTE],
    ['a quote that is not closed', '"B,Zoo', QUOTE],
    ['a cell too many', 'B,Zoo,', `is not valid CSV: it has 3 cells, not 2; ${NOT_READ}`],
    ['a cell too few', 'B', `is not valid CSV: it has 1 cell, not 2; ${NOT_READ}`],
  ])('every row before %s is read, and none after it', async (_, line, message) => {
    const names = Array.from({ length: 5_000 }, (_row, at) => `Pet ${at}`);
    const rows = names.map((name) => `${name},Zoo`);
    const text = ['name,category', ...rows, line, 'C,Zoo', 'D,Zoo', ''].join('\n');
    expect(namesIn(await rowsOf('pets.csv', text))).toEqual([...names, fault(5_002, message)]);
  });

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])(
    'the lines of each row are counted, with empty ones and breaks in quotes: %s',
    async (_, end) => {
      const lines = [
        'name,category',
        'A,Zoo',
        '',
        '"B',
        '',
        '2",Zoo',
        '"C ""3""",Zoo',
        '"D',
        'E,Zoo',
      ];
      for (const bytes of [1, 7, 65_536]) {
        const rows = await rowsOf('pets.csv', lines.join(end), bytes);
        expect(rows).toEqual([
          { line: 2, lastLine: 2, value: { name: 'A', category: 'Zoo' } },
          { line: 4, lastLine: 6, value: { name: 'B\n\n2', category: 'Zoo' } },
          { line: 7, lastLine: 7, value: { name: 'C "3"', category: 'Zoo' } },
          fault(8, QUOTE),
        ]);
      }
    },
  );

  it.each(['', '\n', 'name,category', 'name,category\n\n'])('%j has no rows', async (text) => {
    expect(await rowsOf('pets.csv', text)).toEqual([]);
  });

  it('the first line is reported if it is not valid CSV', async () => {
    expect(await rowsOf('pets.csv', 'na"me\nA\n')).toEqual([fault(1, QUOTE)]);
  });
});

describe.each(['csv', 'ndjson'])('%s', (kind) => {
  const pets = (...names: string[]) =>
    kind === 'csv'
      ? ['name', ...names].join('\n')
      : names.map((name) => JSON.stringify({ name })).join('\n');
  const firstLine = kind === 'csv' ? 2 : 1;

  it.each(['a\uFFFDb', '\uFFFD', 'a\uFEFFb', '\uFEFFa', 'Ärger 🐕'])(
    'a name is read as it is written: %j',
    async (name) => {
      for (const bytes of [1, 65_536]) {
        for (const text of [pets(name, name), `\uFEFF${pets(name, name)}`]) {
          expect(namesIn(await rowsOf(`pets.${kind}`, text, bytes))).toEqual([name, name]);
        }
      }
    },
  );

  it('a row with bytes that are not UTF-8 is refused, and no other', async () => {
    const text = pets('A', 'K\xE4the', 'K\xC3\xA4the', '\xEF\xBB', 'B');
    const rows = await rowsOf(`pets.${kind}`, Buffer.from(text, 'latin1'), 1);
    const field = kind === 'csv' ? 'name' : '';
    const refused = (line: number) => ({
      line,
      lastLine: line,
      fault: { field, message: 'is not UTF-8' },
    });
    expect(namesIn(rows)).toEqual([
      'A',
      refused(firstLine + 1),
      'Käthe',
      refused(firstLine + 3),
      'B',
    ]);
  });
});

it('a column that is named twice is refused, since two cells do not say which is meant', async () => {
  const twice = 'names the column name twice';
  const rows = await rowsOf('pets.csv', 'name,category,name\nA,Zoo,B\n');
  expect(rows).toEqual([fault(1, `${twice}; ${NOT_READ}`)]);
});

it('columns without a name are ignored while they are empty, and none hides another', async () => {
  expect(await rowsOf('pets.csv', 'name,,\nA,,\nB,x,\n')).toMatchObject([
    { value: { name: 'A' } },
    { value: { name: 'B', '': 'x' } },
  ]);
});

it('a header that is not UTF-8 is refused, and nothing after it is read', async () => {
  const text = Buffer.from('name,k\xE4fig\nA,1\n', 'latin1');
  expect(await rowsOf('pets.csv', text)).toEqual([fault(1, `is not UTF-8; ${NOT_READ}`)]);
});
