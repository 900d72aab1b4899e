import { expect, it } from 'vitest';
import { type HotPetReport, judgeHotPet, type Phase } from '../../../torture/overload/hot-pet.ts';

const none = new Map<number, number>();
const experience = { orders: [4, 5, 6], reads: [1, 2, 3], failures: none };
const sells: Phase = { experience, sales: { sold: 9, failures: none } };
const waits: Phase = { experience, sales: { sold: 0, failures: new Map([[503, 60]]) } };
const sound: HotPetReport = { quiet: experience, locked: waits, spread: sells, hot: sells };

it('accepts a shop that does not notice the crowd', () => {
  expect(judgeHotPet(sound)).toEqual([]);
});

it('finds every failure of the shop, also without a crowd', () => {
  const failing = { ...experience, failures: new Map([[429, 2]]) };
  expect(judgeHotPet({ ...sound, quiet: failing })).toEqual(['quiet: 2 answered 429']);
  for (const name of ['locked', 'spread', 'hot'] as const) {
    const phase = { ...sound[name], experience: failing };
    expect(judgeHotPet({ ...sound, [name]: phase })).toEqual([`${name}: 2 answered 429`]);
  }
});

it('finds failures of the buyers that are no shedding', () => {
  const hot = { experience, sales: { sold: 9, failures: new Map([[500, 1]]) } };
  expect(judgeHotPet({ ...sound, hot })).toEqual(['the buyers, hot: 1 answered 500']);
});

it('finds slow answers, and a shop that asked nothing', () => {
  const slow = { ...sells, experience: { ...experience, orders: [30] } };
  expect(judgeHotPet({ ...sound, hot: slow })).toEqual([
    'hot: p99 of orders 30 ms instead of 6 ms',
  ]);
  const silent = { ...sells, experience: { ...experience, reads: [] } };
  expect(judgeHotPet({ ...sound, hot: silent })).toEqual(['hot: no reads']);
  expect(judgeHotPet({ ...sound, spread: silent })).toEqual(['hot: no reads to compare with']);
});

it('finds a pet that is sold although it is locked, or not sold although it is free', () => {
  expect(judgeHotPet({ ...sound, locked: sells })).toEqual(['locked: 9 sold']);
  const unsold = { experience, sales: { sold: 0, failures: none } };
  expect(judgeHotPet({ ...sound, hot: unsold })).toEqual(['hot: nothing was sold']);
  expect(judgeHotPet({ ...sound, spread: unsold })).toEqual(['spread: nothing was sold']);
});
