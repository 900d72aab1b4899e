import { expect, it, onTestFinished } from 'vitest';
import { Progress } from '../../src/cli/copy.ts';
import { captureOutput } from '../support/captured-output.ts';

const output = captureOutput();

function onTerminal(isTTY: boolean): void {
  const before = process.stderr.isTTY;
  process.stderr.isTTY = isTTY;
  onTestFinished(() => {
    process.stderr.isTTY = before;
  });
}

it('draws one line on a terminal, again and again, and ends it', () => {
  onTerminal(true);
  const progress = new Progress();
  progress.show(1, 2, 'copying pets');
  progress.show(2, 2, 'copying pets');
  progress.end();
  const lines = output.stderr.split('\r');
  expect(lines.map((line) => line.trim())).toEqual([
    '',
    `[${'#'.repeat(15)}${'.'.repeat(15)}]  50 %  copying pets`,
    `[${'#'.repeat(30)}] 100 %  copying pets`,
  ]);
  expect(output.stderr).toMatch(/\n$/);
});

it('writes whole lines elsewhere, one for each tenth of each part', () => {
  onTerminal(false);
  const progress = new Progress();
  for (let done = 0; done <= 100; done += 5) progress.show(done, 100, 'copying', `${done} pets`);
  progress.show(1, 1, 'comparing');
  progress.end();
  const lines = Array.from({ length: 11 }, (_, at) => `${at * 10} %  copying ${at * 10} pets\n`);
  expect(output.stderr).toBe([...lines, '100 %  comparing\n'].join(''));
});

it.each([true, false])('writes nothing if it was never shown: %s', (isTTY) => {
  onTerminal(isTTY);
  new Progress().end();
  expect(output.stderr).toBe('');
});
