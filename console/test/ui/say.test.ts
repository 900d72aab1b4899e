import { afterEach, expect, test, vi } from 'vitest';
import { closeToast, say, toasts } from '../../src/ui/say.ts';

afterEach(() => {
  vi.useRealTimers();
  toasts.value = [];
});

const shown = () => toasts.value.map(({ text }) => text);

test('4.21 what was done is said for 6 s, or 12 s with a button; what failed stays until it is closed', () => {
  vi.useFakeTimers();
  say('Saved.');
  say('Removed.', { action: { text: 'Undo', run: () => {} } });
  say('Not saved.', { tone: 'bad' });
  vi.advanceTimersByTime(5_999);
  expect(shown()).toEqual(['Saved.', 'Removed.', 'Not saved.']);
  vi.advanceTimersByTime(1);
  expect(shown()).toEqual(['Removed.', 'Not saved.']);
  vi.advanceTimersByTime(3_600_000);
  expect(shown()).toEqual(['Not saved.']);
  closeToast(toasts.value[0]!.id);
  expect(shown()).toEqual([]);
});
