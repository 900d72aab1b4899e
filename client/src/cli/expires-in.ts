import { UsageError } from './command.ts';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The instant that `15m`, `90s`, `2h` or `30d` from now is, as `--expires-at` takes it. */
export function expiresIn(text: string, now = Date.now()): string {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new UsageError('--expires-in must be a number and a unit: 90s, 15m, 2h or 30d');
  }
  return new Date(now + Number(count) * UNIT_MS[unit!]!).toISOString();
}
