import { expect, it, onTestFinished } from 'vitest';
import { newRandom, setSeed } from '../../../torture/random.ts';

function draw(seed: number): number[][] {
  setSeed(seed);
  onTestFinished(() => setSeed(1));
  const sequences = [newRandom(), newRandom()];
  return sequences.map((random) => Array.from({ length: 1_000 }, random));
}

it('a seed repeats its sequences, which differ from each other and from those of another seed', () => {
  const [first, second] = draw(7);
  expect(draw(7)).toEqual([first, second]);
  const [other] = draw(8);
  const all = [first, second, other].flatMap((numbers) => numbers!);
  expect(new Set(all).size).toBeGreaterThan(2_990);
});

it('draws numbers from 0 to 1', () => {
  const [numbers] = draw(1) as [number[]];
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  const tenths = new Set(numbers.map((number) => Math.floor(number * 10)));
  expect(tenths.size).toBe(10);
});
