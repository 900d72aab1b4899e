import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LogOutput } from '../../src/telemetry/log-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINES = 2_000;

/** An output with many lines, of which some are written, some are being written and some wait. */
function outputWithLines(lines = LINES, text = 'of a log that is long enough') {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = join(folder.path, 'log');
  const output = new LogOutput(openSync(file, 'w'));
  for (let n = 0; n < lines; n++) output.write(`line ${n} ${text}\n`);
  return { output, countLines: () => readFileSync(file, 'utf8').split('\n').length - 1 };
}

it('writes every line before it is closed', async () => {
  const { output, countLines } = outputWithLines();
  await output.close();
  expect(countLines()).toBe(LINES);
});

it('writes every line when the process ends at once', async () => {
  const { output, countLines } = outputWithLines();
  output.closeNow();
  await expect.poll(countLines).toBe(LINES);
});

it('writes every line when the process ends at once after a line that is as long as one write', async () => {
  const { output, countLines } = outputWithLines(3, 'x'.repeat(16_000));
  output.closeNow();
  await expect.poll(countLines).toBe(3);
});
