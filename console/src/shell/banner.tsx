import type { ComponentChildren } from 'preact';
import { endPause, isOut, type Pause, pause } from '../api/limits.ts';
import { forget, session } from '../api/session.ts';
import { hasKeptWrite } from '../api/write.ts';
import { BASE } from '../router.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { dateTime, duration, number, time } from '../ui/format.ts';
import { leaveScreen } from '../ui/unsaved.ts';
import { useNow } from '../ui/use-now.ts';
import { limitWords as words } from '../words/shell/limits.ts';
import { nextDay } from './meter.tsx';

/** Says that nothing is sent, why, and until when. Screen readers hear it at its beginning and at its end. */
export function Banner() {
  const current = pause.value;
  const now = useNow(1_000, current !== undefined);
  return (
    <div role="status" class="banner-place">
      {current && current.kind !== 'leaving' && (
        <div class={`banner ${isOut() ? 'neutral' : 'warn'}`}>
          <Countdown pause={current} now={now} />
          <div class="banner-text">
            <p>
              <strong>{titleOf(current)}</strong>
            </p>
            <p>{textOf(current, now)}</p>
          </div>
          <div class="actions">{actionsOf(current, now)}</div>
        </div>
      )}
    </div>
  );
}

function titleOf({ kind }: Pause): string {
  const titles = {
    minute: words.minuteTitle,
    day: words.dayTitle,
    ban: words.banTitle,
    offline: words.offlineTitle,
    away: words.awayTitle,
    leaving: '',
  };
  return titles[kind];
}

function textOf({ kind, since, until }: Pause, now: number): ComponentChildren {
  const plan = words.plans[session.value?.plan ?? ''] ?? '';
  const limits = session.value?.limits;
  // The seconds are for the eye: a screen reader would hear every one of them.
  const wait = <strong aria-hidden="true">{duration(until - now)}</strong>;
  if (kind === 'minute') {
    const store = session.value?.workspaceName ?? '';
    return (
      <>
        {words.minuteText(plan, number(limits?.perMinute ?? 0), store, time(since))}{' '}
        {hasKeptWrite() ? words.keptText : words.goesOn} {wait}.
      </>
    );
  }
  if (kind === 'day')
    return words.dayText(plan, number(limits?.perDay ?? 0), dateTime(nextDay(now)));
  if (kind === 'ban') {
    if (until <= now) return words.banOver;
    return (
      <>
        {words.banText} {wait}.
      </>
    );
  }
  if (kind === 'offline') return words.offlineText(time(since));
  return (
    <>
      {words.awayText(time(since))} {wait}.
    </>
  );
}

function actionsOf({ kind, until }: Pause, now: number): ComponentChildren {
  if (isOut()) return <Button onClick={endPause}>{words.tryNow}</Button>;
  if (kind === 'ban') {
    // A ban sends nothing by itself, not even at its end.
    if (until <= now) return <Button onClick={endPause}>{words.goOn}</Button>;
    if (!session.value) return null;
    return <Button onClick={() => leaveScreen(forget)}>{words.otherKey}</Button>;
  }
  return (
    <>
      <LinkButton href={`${BASE}/usage`}>{words.whoUsed}</LinkButton>
      <LinkButton href={`${BASE}/plan`} look="primary">
        {words.seePlans}
      </LinkButton>
    </>
  );
}

function Countdown({ pause, now }: { pause: Pause; now: number }) {
  const { since, until } = pause;
  const left = Math.max(0, until - now);
  const length = 2 * Math.PI * 16;
  const share = until > since ? left / (until - since) : 0;
  return (
    <svg class="countdown" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
      <circle cx="20" cy="20" r="16" />
      <circle
        class="left"
        cx="20"
        cy="20"
        r="16"
        stroke-dasharray={`${length * share} ${length}`}
      />
      {left < 100_000 && (
        <text x="20" y="20">
          {Math.ceil(left / 1000)}
        </text>
      )}
    </svg>
  );
}
