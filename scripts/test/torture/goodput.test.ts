import { expect, it } from 'vitest';
import { judgeGoodput } from '../../../torture/overload/goodput.ts';

const alone = { statuses: new Map([[201, 5_000]]), perSecond: 1_000 };
const crowded = {
  statuses: new Map([
    [201, 4_000],
    [503, 9_000],
  ]),
  perSecond: 800,
};

it('accepts a service that sheds the excess and keeps its goodput', () => {
  expect(judgeGoodput(alone, crowded, { mustShed: true })).toEqual([]);
});

it('finds a goodput that falls, other answers, and rejections without need', () => {
  const slow = { ...crowded, perSecond: 100 };
  expect(judgeGoodput(alone, slow, { mustShed: true })).toEqual(['goodput fell to 10 %']);
  const broken = { ...alone, statuses: new Map([...alone.statuses, [500, 1]]) };
  expect(judgeGoodput(broken, crowded, { mustShed: true })).toEqual(['answered 500']);
  expect(judgeGoodput({ ...crowded, perSecond: 1_000 }, crowded, { mustShed: true })).toHaveLength(
    1,
  );
});

it('is not content when nothing was written, or nothing was shed where something must be', () => {
  const nothing = { statuses: new Map([[503, 9_000]]), perSecond: 0 };
  expect(judgeGoodput(nothing, nothing, { mustShed: true })).toHaveLength(1);
  expect(judgeGoodput(alone, alone, { mustShed: true })).toHaveLength(1);
  expect(judgeGoodput(alone, alone, { mustShed: false })).toEqual([]);
});
