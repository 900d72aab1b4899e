/** What a run of the tests says of a bug. A run that breaks off says nothing, so its bug does not count as caught. */
export interface Outcome {
  kind: 'passed' | 'caught' | 'broken off';
  /** The first test that failed, or why no test could be judged. */
  why: string;
}

/** What this needs of Vitest's JSON report. */
export interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

export interface TestRun {
  status: number | null;
  isTimedOut: boolean;
  /** Undefined if the run wrote none. */
  report: Report | undefined;
  /** The folder of the tests, with a slash at its end. */
  folder: string;
}

export function outcomeOf({ status, isTimedOut, report, folder }: TestRun): Outcome {
  if (status === 0) return { kind: 'passed', why: '' };
  // A bug may make its tests hang.
  if (isTimedOut) return { kind: 'caught', why: 'the tests did not end in time' };
  for (const { name, status: result, message, assertionResults } of report?.testResults ?? []) {
    const path = name.slice(folder.length);
    const failed = assertionResults.find((test) => test.status === 'failed');
    if (failed) return { kind: 'caught', why: `\`${path}\`: ${failed.fullName}` };
    if (result !== 'failed') continue;
    // A file without tests could not be loaded. A file with tests has a hook that failed.
    const kind = assertionResults.length > 0 ? 'caught' : 'broken off';
    return { kind, why: `\`${path}\`: ${message.split('\n')[0]}` };
  }
  return { kind: 'broken off', why: `the tests ended with ${status} and no failed test` };
}
