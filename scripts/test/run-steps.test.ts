import { expect, it } from 'vitest';
import { type Outcome, outcomeText, runSteps, type Step } from '../run-steps.ts';

const options = { cwd: '.', env: process.env };

function step(name: string, code: string, remedy = 'fix it'): Step {
  return { name, command: [process.execPath, '-e', code], remedy };
}

it('runs every step, also after one has failed', async () => {
  const seen: string[] = [];
  const steps = [step('bad', 'process.exit(3)'), step('good', ''), step('late', '')];
  const outcomes = await runSteps(steps, 1, options, ({ step }) => seen.push(step.name));
  expect(seen).toEqual(['bad', 'good', 'late']);
  expect(outcomes.map(({ passed }) => passed)).toEqual([false, true, true]);
});

it('shows what a failed step said, on both streams, and what to do', async () => {
  const code = "console.log('seen here'); console.error('and there'); process.exit(1)";
  const [outcome] = await runSteps([step('lint', code)], 2, options, () => {});
  const text = outcomeText(outcome!);
  expect(text).toMatch(/^FAIL {2}lint +\d+\.\d s\n/);
  expect(text).toContain('seen here');
  expect(text).toContain('and there');
  expect(text).toContain('-> fix it');
});

it('gives a step that passed one line, whatever it printed', async () => {
  const [outcome] = await runSteps([step('a', "console.log('x')")], 2, options, () => {});
  expect(outcomeText(outcome!)).toMatch(/^ok {4}a +\d+\.\d s$/);
});

it('fails a step whose program is not there, or that is killed', async () => {
  const missing: Step = { name: 'gone', command: ['petstore-no-such-program'], remedy: '' };
  const killed = step('killed', "process.kill(process.pid, 'SIGKILL')");
  const outcomes: Outcome[] = await runSteps([missing, killed], 2, options, () => {});
  expect(outcomes.map(({ passed }) => passed)).toEqual([false, false]);
});
