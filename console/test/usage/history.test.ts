import type { Usage } from '@petstore/client';
import { expect, test } from 'vitest';
import { wholeHistory } from '../../src/api/usage-history.ts';

const entry = (date: string, admitted: number) => {
  return { date, keyId: 'k', operationId: 'listPets', admitted, refused: 0, failed: 0 };
};
const usageOf = (...history: Usage['history']): Usage => ({
  windows: [{ name: 'day', limit: 1, remaining: 1, resetAt: '2026-11-16T00:00:00Z' }],
  bans: [],
  history,
  deprecated: [],
});

test('the latest two days replace what was known, earlier ones stay, and those older than 30 days go', () => {
  const known = usageOf(
    entry('2026-10-16', 9),
    entry('2026-10-17', 8),
    entry('2026-11-13', 7),
    entry('2026-11-14', 6),
  );
  const now = usageOf(entry('2026-11-14', 66), entry('2026-11-15', 1));
  expect(wholeHistory(known, now)).toEqual([
    entry('2026-10-17', 8),
    entry('2026-11-13', 7),
    entry('2026-11-14', 66),
    entry('2026-11-15', 1),
  ]);
});
