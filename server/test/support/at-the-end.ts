import { afterAll, onTestFinished } from 'vitest';

/** Cleans up at the end of the test, or of the file if it is called outside a test. */
export function atTheEnd(clean: () => Promise<void>): void {
  try {
    onTestFinished(clean);
  } catch {
    afterAll(clean);
  }
}
