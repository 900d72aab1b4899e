import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { machineryTable } from '../../../bench/machinery.ts';

const CODE_MAX = 1_000;

it('the code that exists for speed stays short, and its table is up to date', () => {
  const table = machineryTable();
  const [, code] = /\| all \| \| \d+ \| (\d+) \|/.exec(table)!;
  expect(Number(code)).toBeLessThanOrEqual(CODE_MAX);
  // If this fails: npm run bench -- --lines
  expect(readFileSync('bench/RESULTS.md', 'utf8')).toContain(table);
});
