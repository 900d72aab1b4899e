import type { Limits } from '../../domain/plan.ts';
import type { Verdict } from '../../limits/limiter.ts';
import type { WindowView } from '../../limits/window.ts';

/**
 * Five headers, as they are sent. The trio describes one window: the one that refused, else the one
 * with the fewest requests left. Times are rounded up, so that whoever waits for them is never a moment early,
 * and counted from when it was decided, since that may have been by another clock than this node's.
 */
export function rateLines(verdict: Verdict): string {
  const [minute, day] = verdict.windows as [WindowView, WindowView?];
  const { at, refusal } = verdict;
  const shown = shownWindow(verdict, minute, day);
  const resetAt = refusal?.by === 'ban' ? refusal.until : shown.resetAt;
  const remaining = refusal ? 0 : shown.remaining;
  const items = day ? `${itemOf(minute, at)}, ${itemOf(day, at)}` : itemOf(minute, at);
  return `x-ratelimit-limit: ${shown.limit}\r
x-ratelimit-remaining: ${remaining}\r
x-ratelimit-reset: ${Math.ceil(resetAt / 1000)}\r
ratelimit-policy: ${policyOf(minute.limit, day?.limit)}\r
ratelimit: ${items}\r
`;
}

export function retryAfterSeconds(retryAt: number, now: number): number {
  return Math.max(1, Math.ceil((retryAt - now) / 1000));
}

function shownWindow(
  verdict: Verdict,
  minute: WindowView,
  day: WindowView | undefined,
): WindowView {
  if (!day) return minute;
  if (verdict.refusal && verdict.refusal.by !== 'ban') {
    return verdict.refusal.by === 'day' ? day : minute;
  }
  return day.remaining < minute.remaining ? day : minute;
}

function itemOf(window: WindowView, now: number): string {
  const seconds = Math.max(0, Math.ceil((window.resetAt - now) / 1000));
  return `"${window.name}";r=${window.remaining};t=${seconds}`;
}

let lastPolicy: { minute: number; day: number | undefined; text: string } | undefined;

function policyOf(minute: Limits['perMinute'], day: Limits['perDay'] | undefined): string {
  if (lastPolicy?.minute === minute && lastPolicy.day === day) return lastPolicy.text;
  const text = `"minute";q=${minute};w=60${day === undefined ? '' : `, "day";q=${day};w=86400`}`;
  lastPolicy = { minute, day, text };
  return text;
}
