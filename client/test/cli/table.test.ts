import { expect, it } from 'vitest';
import { fieldList, table } from '../../src/cli/table.ts';

it('a table takes any number of rows', () => {
  const records = Array.from({ length: 300_000 }, (_, id) => ({ id }));
  const lines = table(records, ['id'], {}).trimEnd().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([300_001, '      ID', '  299999']);
});

it('a table that is too wide cuts its texts and leaves ids and times whole', () => {
  const record = {
    id: 'i-CWtSdTmR1H-a',
    at: '2026-11-18T20:03:12.175Z',
    path: `/v1/${'x'.repeat(100)}`,
    status: 404,
    code: 'not_found',
  };
  const [head, row] = table([record], Object.keys(record), { columns: 80 }).split('\n');
  expect(row).toContain(`${record.id}  ${record.at}`);
  expect(row).toMatch(/ {2}\/v1\/x+… {2,}404 {2}not_found$/);
  expect(Math.max(head!.length, row!.length)).toBeLessThanOrEqual(80);
  const narrow = table([record], Object.keys(record), { columns: 40 }).split('\n');
  expect(narrow[1]).toMatch(/^ {2}i-CWt… {2}2026-… {2}\/v1\/x… +404 {2}n/);
});

it('an empty list in a record is none', () => {
  expect(fieldList({ id: 1, bans: [] }, ['id', 'bans'], {})).toBe('id    1\nbans  none\n');
});
