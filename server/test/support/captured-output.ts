import { afterEach, beforeEach, vi } from 'vitest';

/** What the code under test has written since the test began. */
export interface CapturedOutput {
  stdout: string;
  stderr: string;
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Keeps what each test of the file, or of the group, writes to the standard streams. Afterwards no command that the test
 * ran in this process listens to signals any more.
 */
export function captureOutput(): CapturedOutput {
  const output: CapturedOutput = { stdout: '', stderr: '' };
  let before: unknown[];
  beforeEach(() => {
    before = signals.flatMap((signal) => process.listeners(signal));
    for (const name of ['stdout', 'stderr'] as const) {
      output[name] = '';
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        output[name] += String(text);
        return true;
      });
    }
  });
  afterEach(() => {
    for (const signal of signals) {
      const added = process.listeners(signal).filter((each) => !before.includes(each));
      for (const each of added) process.off(signal, each);
    }
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return output;
}
