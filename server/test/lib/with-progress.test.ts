import { expect, it, vi } from 'vitest';
import { withProgress } from '../../src/lib/with-progress.ts';

it('reports the latest progress again and again until the work is done', async () => {
  vi.useFakeTimers();
  try {
    const reports: number[] = [];
    let finish = () => {};
    const work = withProgress(
      (progress: number) => reports.push(progress),
      (onProgress) =>
        new Promise<string>((resolve) => {
          onProgress(1);
          onProgress(2);
          finish = () => resolve('done');
        }),
    );
    vi.advanceTimersByTime(1_999);
    expect(reports).toEqual([]);
    vi.advanceTimersByTime(2_001);
    expect(reports).toEqual([2, 2]);
    finish();
    expect(await work).toBe('done');
    vi.advanceTimersByTime(10_000);
    expect(reports).toEqual([2, 2]);
  } finally {
    vi.useRealTimers();
  }
});

it('reports nothing of work that reported nothing, and fails as it fails', async () => {
  const report = vi.fn();
  const failing = () => Promise.reject(new Error('no'));
  await expect(withProgress(report, failing, 1)).rejects.toThrow('no');
  expect(report).not.toHaveBeenCalled();
});
