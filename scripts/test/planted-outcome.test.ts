import { expect, it } from 'vitest';
import { outcomeOf, type Report } from '../../planted/outcome.ts';

const folder = '/copy/server/test/';

function outcome(results: Report['testResults'] | undefined, isTimedOut = false) {
  const report = results && { testResults: results };
  return outcomeOf({ status: 1, isTimedOut, report, folder });
}

const file = { name: `${folder}a.test.ts`, status: 'failed', message: 'why\n at b' };

it('a bug is caught by a test or a hook that fails, or by tests that hang', () => {
  const tests = [
    { status: 'passed', fullName: 'first' },
    { status: 'failed', fullName: 'second' },
  ];
  expect(outcome([{ ...file, assertionResults: tests }])).toEqual({
    kind: 'caught',
    why: '`a.test.ts`: second',
  });
  const skipped = [{ status: 'skipped', fullName: 'first' }];
  expect(outcome([{ ...file, assertionResults: skipped }])).toEqual({
    kind: 'caught',
    why: '`a.test.ts`: why',
  });
  expect(outcome(undefined, true).kind).toBe('caught');
});

it('a bug is not caught by a run that breaks off, or by a file that cannot be loaded', () => {
  expect(outcome(undefined).kind).toBe('broken off');
  expect(outcome([]).kind).toBe('broken off');
  expect(outcome([{ ...file, assertionResults: [] }])).toEqual({
    kind: 'broken off',
    why: '`a.test.ts`: why',
  });
});
