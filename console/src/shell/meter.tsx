import { dayWindow, minuteWindow, type Window } from '../api/limits.ts';
import { session } from '../api/session.ts';
import { BASE } from '../router.ts';
import { duration, number, time, utcTime } from '../ui/format.ts';
import { useNow } from '../ui/use-now.ts';
import { limitWords as words } from '../words/shell/limits.ts';
import { usedByConsole, useUsage, useUsagePolling } from './usage.ts';

const MINUTE_MS = 60_000;

/** A window as it stands now: one whose time is over is full again. */
export function windowAt(window: Window | undefined, limit: number, now: number): Window {
  if (!window || window.resetAt <= now) return { limit, remaining: limit, resetAt: 0 };
  return window;
}

/** As wide as the largest number that it can become, so that nothing moves when it does. */
const roomFor = (limit: number) => ({ minInlineSize: `${number(limit).length}ch` });

/** What is left of the plan, from the headers of the responses: it costs no request. */
export function Meter() {
  const now = useNow(1_000);
  const usage = useUsage();
  useUsagePolling();
  const used = usage.data ? usedByConsole(usage.data) : 0;
  const { limits, plan } = session.value!;
  const minute = windowAt(minuteWindow.value, limits.perMinute, now);
  const day = windowAt(dayWindow.value, limits.perDay, now);
  return (
    <section class="meter" aria-label={words.plan(words.plans[plan] ?? plan)}>
      <p class="meter-head">
        <strong>{words.plan(words.plans[plan] ?? plan)}</strong>
        <a href={`${BASE}/plan`}>{words.change}</a>
      </p>
      <p class="small muted">{words.counts}</p>
      <Bar name={words.minute} window={minute}>
        {words.resetsIn(
          duration(minute.resetAt === 0 ? MINUTE_MS : Math.min(MINUTE_MS, minute.resetAt - now)),
        )}
      </Bar>
      <Bar name={words.day} window={day}>
        {words.resetsAt(time(nextDay(now)), utcTime(nextDay(now)))}
      </Bar>
      <p class="meter-foot">{used > 0 ? words.consoleUsed(used) : '\u00a0'}</p>
    </section>
  );
}

/** Days end at midnight UTC. */
export function nextDay(now: number): number {
  return (Math.floor(now / 86_400_000) + 1) * 86_400_000;
}

function Bar({ name, window, children }: { name: string; window: Window; children: string }) {
  const used = window.limit - window.remaining;
  return (
    <div class="bar">
      <p>
        <span>{name}</span>
        <span>
          <strong style={roomFor(window.limit)}>{number(used)}</strong>{' '}
          <span class="muted">/ {number(window.limit)}</span>
        </span>
      </p>
      <progress
        class={window.remaining === 0 ? 'full' : undefined}
        max={window.limit}
        value={used}
        aria-label={words.used(used, window.limit)}
      />
      <p class="small muted">{children}</p>
    </div>
  );
}

/** What is left of the minute, as a ring: on a phone there is no room for more. */
export function Ring() {
  const now = useNow(1_000);
  const { limit, remaining } = windowAt(minuteWindow.value, session.value!.limits.perMinute, now);
  const length = 2 * Math.PI * 9;
  return (
    <a class="ring" href={`${BASE}/usage`} aria-label={words.leftOfMinute(remaining)}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <circle cx="12" cy="12" r="9" />
        <circle
          class="left"
          cx="12"
          cy="12"
          r="9"
          stroke-dasharray={`${(length * remaining) / limit} ${length}`}
        />
      </svg>
      <strong style={roomFor(limit)}>{number(remaining)}</strong>
    </a>
  );
}
