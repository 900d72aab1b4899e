import { expect, it } from 'vitest';
import { judgeDrain } from '../../../torture/drain.ts';

const sound = {
  restarts: 2,
  answered: 9,
  failures: [],
  unexplained: [],
  exitCodes: [0, 0],
  stopMs: [5, 6],
  stallMs: 0,
};

it('accepts restarts that no client notices', () => {
  expect(judgeDrain(sound)).toEqual([]);
});

it('finds failures, other exit codes and slow stops', () => {
  const broken = { ...sound, failures: ['read'], exitCodes: [0, null], stopMs: [10_001] };
  expect(judgeDrain(broken)).toEqual(['read', 'exit code null', 'a stop took 10001 ms']);
});

it('finds that no request was answered', () => {
  expect(judgeDrain({ ...sound, answered: 0 })).toEqual(['no request was answered']);
});
