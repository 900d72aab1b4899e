import { expect, it } from 'vitest';
import { table } from '../../src/cli/table.ts';

it('a table takes any number of rows', () => {
  const records = Array.from({ length: 300_000 }, (_, id) => ({ id }));
  const lines = table(records, ['id'], {}).trimEnd().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([300_001, '      ID', '  299999']);
});
