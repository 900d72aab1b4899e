import { onTestFinished } from 'vitest';

type Clean = () => Promise<void>;

let atEndOfFile: Clean[] = [];

/** Cleans up at the end of the test, or of the file if it is called outside a test. */
export function atTheEnd(clean: Clean): void {
  try {
    onTestFinished(clean);
  } catch {
    // Vitest ignores an `afterAll` that a hook calls, so `each-file.ts` has the only one.
    atEndOfFile.push(clean);
  }
}

export async function endFile(): Promise<void> {
  const ends = atEndOfFile;
  atEndOfFile = [];
  await Promise.all(ends.map((clean) => clean()));
}
