import { expect, test } from 'vitest';
import {
  batchOf,
  type CountRow,
  differenceOf,
  findRow,
  isReady,
  nextOpen,
  scannedIn,
  settled,
  unitsOf,
} from '../../src/screens/count/count-row.ts';

const row = (petId: number, expected: number, counted = '', name = `Pet ${petId}`): CountRow => {
  return { petId, name, reference: `REF-${petId}`, expected, counted };
};

test('a count is a whole number of up to nine digits', () => {
  expect(['0', '12', '', '-1', '1.5', '1e3', '4006381333931'].map(unitsOf)).toEqual([
    0,
    12,
    ...Array(5).fill(undefined),
  ]);
  expect([row(1, 5), row(1, 5, '5'), row(1, 5, '3')].map(differenceOf)).toEqual([undefined, 0, -2]);
});

test('a reference that was scanned behind a count is no part of it', () => {
  const rows = [
    { ...row(1, 5), reference: '40063813' },
    row(23, 5),
    { ...row(3, 5), reference: '12' },
  ];
  const texts = ['1240063813', '40063813', '7ref-23', 'REF-23', '312', '12', 'x40063813', ''];
  expect(texts.map((text) => scannedIn(rows, text))).toEqual([
    { counted: '12', reference: '40063813' },
    { counted: '', reference: '40063813' },
    { counted: '7', reference: 'REF-23' },
    { counted: '', reference: 'REF-23' },
    ...Array(4).fill(undefined),
  ]);
});

test('a batch has the differences alone, with what was expected, and at most 1,000', () => {
  const rows = [row(1, 5, '3'), row(2, 5, '5'), row(3, 5), { ...row(4, 5, '6'), problem: 'no' }];
  const item = { petId: 1, quantity: 3, expected: 5, reason: 'Stocktake' };
  expect(batchOf(rows)).toEqual({ mode: 'each', items: [item] });
  const many = Array.from({ length: 1_200 }, (_, index) => row(index, 1, '2'));
  expect(batchOf(many).items).toHaveLength(1_000);
});

test('a scanned text finds its pet by reference, then number, then name', () => {
  const rows = [row(7, 1, '', 'Beagle'), row(8, 1, '', 'Ref'), row(9, 1, '', '7')];
  expect(['ref-8', '7', 'beagle', 'bea', 'zebra', ' '].map((text) => findRow(rows, text))).toEqual([
    1, 0, 0, 0, -1, -1,
  ]);
});

test('a saved row is as expected, a conflict names what is on hand, and a lost answer is none', () => {
  const conflict = (quantity: number) => ({
    error: { code: 'stock_changed', message: 'x', details: { expected: 5, quantity } } as never,
  });
  expect(settled(row(1, 5, '3'), 3, {})).toMatchObject({ expected: 3, problem: undefined });
  expect(settled(row(1, 5, '3'), 3, conflict(4))).toMatchObject({
    expected: 4,
    counted: '3',
    problem: 'Stock changed while you counted: now 4 on hand. Count again.',
  });
  expect(settled(row(1, 5, '3'), 3, conflict(3))).toMatchObject({
    expected: 3,
    problem: undefined,
  });
  // What was typed after the other count was sent is still to be sent.
  const changed = settled(row(1, 5, '4'), 3, {});
  expect(changed).toMatchObject({ expected: 3, counted: '4' });
  expect(isReady(changed)).toBe(true);
  const reserved = { code: 'below_reserved', message: 'x', details: { reserved: 4 } } as never;
  expect(settled(row(1, 5, '3'), 3, { error: reserved }).problem).toMatch(/^4 units are reserved/);
});

test('what was not saved comes first, then what is not counted, from the row on and round', () => {
  const rows = [row(1, 5), row(2, 5, '5'), row(3, 5), row(4, 5, '6')];
  expect([nextOpen(rows), nextOpen(rows, 0), nextOpen(rows, 2)]).toEqual([0, 2, 0]);
  const refused = rows.map((each, place) => (place === 3 ? { ...each, problem: 'no' } : each));
  expect([nextOpen(refused), nextOpen(refused, 3)]).toEqual([3, 3]);
  expect(nextOpen([row(1, 5, '5')])).toBe(-1);
});
