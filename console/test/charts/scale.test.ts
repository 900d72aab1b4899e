import { expect, test } from 'vitest';
import { linear, linePath, spread, stepPath, ticksTo } from '../../src/charts/scale.ts';

test.for([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [60, [0, 20, 40, 60]],
  [1_000, [0, 250, 500, 750, 1_000]],
] as const)('the lines up to %d are round and reach it', ([max, lines]) => {
  expect(ticksTo(max)).toEqual(lines);
});

test('the lines are whole, even, start at 0 and are few, whatever the highest value', () => {
  for (let max = 0; max < 3_000; max += 7) {
    const lines = ticksTo(max);
    const step = lines[1]! - lines[0]!;
    expect(lines[0]).toBe(0);
    expect(lines.at(-1)).toBeGreaterThanOrEqual(max);
    expect(lines.length).toBeLessThanOrEqual(6);
    expect(lines.every((line, index) => line === index * step)).toBe(true);
    expect(Number.isInteger(step)).toBe(true);
  }
});

test('values become pixels, also of a chart with one value', () => {
  const x = linear([0, 10], [100, 200]);
  expect([x(0), x(5), x(10)]).toEqual([100, 150, 200]);
  expect(linear([3, 3], [0, 50])(3)).toBe(0);
});

test('labels are evenly apart and always name the last', () => {
  expect(spread(0, 5)).toEqual([]);
  expect(spread(1, 5)).toEqual([0]);
  expect(spread(14, 4)).toEqual([3, 8, 13]);
  expect(spread(60, 5).at(-1)).toBe(59);
});

test('a staircase has one step for each change and holds to the end', () => {
  expect(stepPath([], 100)).toBe('');
  expect(stepPath([[0, 10]], 100)).toBe('M0 10H100');
  expect(
    stepPath(
      [
        [0, 10],
        [40, 5],
        [70.04, 8.06],
      ],
      100,
    ),
  ).toBe('M0 10H40V5H70V8.1H100');
});

test('a line goes from point to point', () => {
  expect(linePath([])).toBe('');
  expect(
    linePath([
      [0, 1],
      [2, 3],
    ]),
  ).toBe('M0 1L2 3');
});
