import { expect, it, onTestFinished, vi } from 'vitest';
import { Progress } from '../../../torture/progress.ts';

it('draws its bar before the first step and after more steps than were planned', () => {
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    process.stderr.isTTY = isTTY;
    write.mockRestore();
  });
  const progress = new Progress('streams', 10);
  progress.show(0);
  progress.show(12);
  const [first, last] = write.mock.calls.map(([text]) => String(text));
  expect(first).toContain(`[${'.'.repeat(30)}] streams 0/10\x1b`);
  expect(last).toContain(`[${'#'.repeat(30)}] streams 12/10 0 s left`);
});
