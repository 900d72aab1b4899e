import { afterEach, beforeEach, vi } from 'vitest';

/** What the code under test has written since the test began. */
export interface CapturedOutput {
  stdout: string;
  stderr: string;
}

/** Keeps what each test of the file, or of the group, writes to the standard streams. */
export function captureOutput(): CapturedOutput {
  const output: CapturedOutput = { stdout: '', stderr: '' };
  beforeEach(() => {
    for (const name of ['stdout', 'stderr'] as const) {
      output[name] = '';
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        output[name] += String(text);
        return true;
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return output;
}
