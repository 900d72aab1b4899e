import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chartWords } from '../../src/words/charts.ts';
import { controlWords } from '../../src/words/controls.ts';
import { orderWords } from '../../src/words/orders.ts';
import { overviewWords } from '../../src/words/overview.ts';
import { planWords } from '../../src/words/plan.ts';
import { limitWords } from '../../src/words/shell/limits.ts';
import { usageWords } from '../../src/words/usage.ts';
import { lengthened, wordsOf } from '../../src/words/words-of.ts';

const folder = join(import.meta.dirname, '../../src/words');

test('every sentence is 40 % longer in the long language, also those of functions and lists', () => {
  const words = lengthened({
    save: 'Save',
    left: (units: number) => `${units} left`,
    nested: { title: 'Overview' },
    reasons: ['Delivery', 'Damage'],
    pairs: [['Esc', 'Close']],
    limit: 5,
  });
  expect(words.save.length).toBeGreaterThanOrEqual(4 * 1.4);
  expect(words.save.startsWith('Save')).toBe(true);
  expect(words.left(3)).toMatch(/^3 left.+/);
  expect(words.nested.title.length).toBeGreaterThanOrEqual(8 * 1.4);
  expect(words.reasons[1]!.length).toBeGreaterThanOrEqual(6 * 1.4);
  expect(words.pairs[0]![1]!.length).toBeGreaterThanOrEqual(5 * 1.4);
  expect(words.limit).toBe(5);
});

test('words are left as they are unless the address asks for the long ones', () => {
  const words = { save: 'Save' };
  expect(wordsOf(words)).toBe(words);
});

test('a name that is written from the right, or that turns the text, does not move what is beside it', () => {
  const words = wordsOf({ stock: (name: string, units: number) => `${name}: ${units} on hand` });
  expect(words.stock('Beagle', 3)).toBe('Beagle: 3 on hand');
  expect(words.stock('כלב', 3)).toBe('\u2068כלב\u2069: 3 on hand');
  expect(words.stock('\u202Edesrever', 3)).toBe('\u2068\u202Edesrever\u2069: 3 on hand');
});

test('texts of people keep their direction also where they are joined with others', () => {
  expect(controlWords.dotted('נגנב', '12/3')).toBe('\u2068נגנב\u2069 · 12/3');
  expect(orderWords.pickOrder(2, 'WEB-7', 'דנה')).toBe('2 × WEB-7, \u2068דנה\u2069');
  expect(orderWords.pickOrder(1, '#8', undefined)).toBe('1 × #8');
});

test('every file of words can be lengthened, and has no empty sentence', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  let sentences = 0;
  for (const file of files) {
    const module: Record<string, unknown> = await import(join(folder, file));
    for (const value of Object.values(module)) {
      for (const text of textsOf(value)) {
        sentences++;
        expect([file, text.trim()]).not.toEqual([file, '']);
        expect(lengthened(text).length).toBeGreaterThanOrEqual(Math.floor(text.length * 1.4));
      }
    }
  }
  expect(sentences).toBeGreaterThan(500);
});

test('one of something is not called many', () => {
  expect(chartWords.dayReading('today', overviewWords.orderCount(1))).toBe('today: 1 order');
  expect(usageWords.chartNotes.day(1, 60)).toContain('had 1 request;');
  expect(planWords.usedMinute(1, 1)).toBe('1 request used this minute, 1 left.');
  expect(planWords.usedDay(2, 3)).toBe('2 requests used today, 3 left.');
  expect(limitWords.leftOfMinute(1)).toBe('1 request left this minute');
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}
