import type { Verdict } from '../../limits/limiter.ts';
import type { WindowView } from '../../limits/window.ts';
import type { FlatHeaders } from './headers.ts';

/**
 * The five rate-limit headers. The X-RateLimit ones describe one window: the one that refused, else the one with
 * the fewest requests left. Times are rounded up, so that a client that waits for them is never early, and
 * counted from the instant of the decision, which a shared limiter takes from its own clock.
 */
export function rateHeaders(verdict: Verdict): FlatHeaders {
  const { at, refusal } = verdict;
  const [minute, day] = verdict.windows as [WindowView, WindowView?];
  const shown = shownWindow(verdict);
  const resetAt = refusal?.by === 'ban' ? refusal.until : shown.resetAt;
  return [
    'x-ratelimit-limit',
    String(shown.limit),
    'x-ratelimit-remaining',
    String(refusal?.by === 'ban' ? 0 : shown.remaining),
    'x-ratelimit-reset',
    String(Math.ceil(resetAt / 1000)),
    'ratelimit-policy',
    day ? `${policyItem(minute)}, ${policyItem(day)}` : policyItem(minute),
    'ratelimit',
    day ? `${limitItem(minute, at)}, ${limitItem(day, at)}` : limitItem(minute, at),
  ];
}

function shownWindow({ windows, refusal }: Verdict): WindowView {
  const [minute, day] = windows as [WindowView, WindowView?];
  if (!day) return minute;
  if (refusal && refusal.by !== 'ban') return refusal.by === 'day' ? day : minute;
  return day.remaining < minute.remaining ? day : minute;
}

function policyItem({ name, limit }: WindowView): string {
  return `"${name}";q=${limit};w=${name === 'day' ? 86_400 : 60}`;
}

function limitItem({ name, remaining, resetAt }: WindowView, now: number): string {
  return `"${name}";r=${remaining};t=${Math.max(0, Math.ceil((resetAt - now) / 1000))}`;
}
