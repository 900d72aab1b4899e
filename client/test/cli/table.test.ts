import { expect, it, onTestFinished } from 'vitest';
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

it('a table on 40 columns cuts headings and texts, and no number', () => {
  const status = 'available';
  const records = [
    { petId: 7, pet: 'Golden Retriever puppy', quantity: 3, reserved: 1, available: 2, status },
    { petId: 12, pet: '', quantity: 123_456, reserved: 10, available: 123_446, status },
  ];
  const lines = table(records, Object.keys(records[0]!), { columns: 40 }).trimEnd().split('\n');
  expect(lines).toEqual([
    '  PET ID  PET     QUANT…  RESER…  AVAIL…',
    '       7  Golde…       3       1       2',
    '      12          123456      10  123446',
  ]);
  const larger = records.map((record) => ({ ...record, quantity: 1_234_567 }));
  const [, row] = table(larger, Object.keys(larger[0]!), { columns: 40 }).split('\n');
  expect(row).toBe('       7  Golde…  1234567       1');
});

it('an empty list in a record is none', () => {
  expect(fieldList({ id: 1, bans: [] }, ['id', 'bans'], {})).toBe('id    1\nbans  none\n');
});

it('what is nested in a record is a table or words, and never JSON', () => {
  const usage = {
    plan: { name: 'free', limits: { perMinute: 60, perDay: 1_000 } },
    history: [
      { day: '2026-11-18', requests: 12, byKey: { store: 10, till: 2 } },
      { day: '2026-11-19', requests: 7, byKey: {} },
    ],
    scopes: ['read', 'write'],
  };
  expect(fieldList(usage, Object.keys(usage), { isTTY: true, columns: 120 })).toBe(
    [
      'plan     name free, limits (perMinute 60, perDay 1000)',
      'scopes   read, write',
      '',
      'history',
      '  DAY         REQUESTS  BY KEY',
      '  2026-11-18        12  store 10, till 2',
      '  2026-11-19         7',
      '',
    ].join('\n'),
  );
  expect(table([usage], Object.keys(usage), { isTTY: true })).not.toMatch(/[{}[\]"]/);
});

it('times are those of the place on a terminal, and UTC elsewhere', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const order = { id: 1, at: '2026-07-01T02:03:04.175Z' };
  const [terminal, file] = [{ isTTY: true, columns: 80 }, {}];
  expect(fieldList(order, ['at'], terminal)).toBe('at  2026-06-30 22:03:04\n');
  expect(table([order], ['at'], terminal)).toBe('  AT\n  2026-06-30 22:03:04\n');
  expect(fieldList(order, ['at'], file)).toBe(`at  ${order.at}\n`);
  expect(table([order], ['at'], file)).toBe(`  AT\n  ${order.at}\n`);
});
