import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const COALESCER = new URL('../../src/lib/coalescer.ts', import.meta.url).href;

/** Runs in a process of its own, because an uncaught exception fails a test run. */
function outputOf(work: string): string[] {
  const program = `
    import { Coalescer } from ${JSON.stringify(COALESCER)};
    process.on('uncaughtException', (err) => console.log('uncaught ' + err.message));
    const coalescer = new Coalescer({ tickMaxMs: 0 });
    coalescer.atTickEnd(() => console.log('first'));
    coalescer.atTickEnd(() => { throw new Error('second'); });
    coalescer.atTickEnd(() => console.log('third'));
    ${work}`;
  const args = ['--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
}

it.each([
  ['at the end of the tick', ''],
  ['when the tick has lasted too long', 'coalescer.endLongTick(performance.now());'],
])('a callback that throws keeps no other from its turn %s', (_, work) => {
  expect(outputOf(work)).toEqual(['first', 'third', 'uncaught second']);
});
