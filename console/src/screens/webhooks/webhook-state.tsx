import type { Attempt, Webhook } from '@petstore/client';
import { useEffect, useRef } from 'preact/hooks';
import { minuteWindow } from '../../api/limits.ts';
import { lastEvent } from '../../api/live.ts';
import { scopeReason } from '../../api/session.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { errorWords } from '../../words/errors.ts';
import { webhookWords as words } from '../../words/webhooks.ts';

type Standing = keyof typeof words.states;

const tones: Record<Standing, Tone> = {
  unverified: 'warn',
  delivering: 'good',
  retrying: 'bad',
  paused: 'neutral',
  disabled: 'neutral',
};

/** How a webhook is doing. Of one that is enabled, only the time of its first failure says that deliveries fail. */
export function standingOf({ state, stateReason, failingSince }: Webhook): Standing {
  if (state === 'unverified') return 'unverified';
  if (state === 'disabled') return stateReason === 'by_owner' ? 'paused' : 'disabled';
  return state === 'failing' || failingSince !== undefined ? 'retrying' : 'delivering';
}

export function StateBadge({ webhook }: { webhook: Webhook }) {
  const standing = standingOf(webhook);
  return <Badge tone={tones[standing]}>{words.states[standing]}</Badge>;
}

/** Why no event can be sent to it now; undefined if one can. */
export function resendReason(webhook: Webhook): string | undefined {
  const isOn = ['delivering', 'retrying'].includes(standingOf(webhook));
  return scopeReason('manage') ?? (isOn ? undefined : errorWords.webhook_not_enabled!({}));
}

/** Whether the attempt carried the event with this number. */
export function isOf({ firstSequence, lastSequence = firstSequence }: Attempt, sequence: number) {
  return firstSequence !== undefined && firstSequence <= sequence && sequence <= lastSequence!;
}

/** Whether its record is about to change by itself: by a ping, a retry, or events on their way. */
function isMoving(webhook: Webhook): boolean {
  const standing = standingOf(webhook);
  const isSending = standing === 'retrying' || standing === 'delivering';
  return standing === 'unverified' || standing === 'retrying' || (isSending && webhook.behind > 0);
}

const EVERY_MS = 5_000;
/** A delivery follows its event. */
const AFTER_EVENT_MS = 1_000;

/**
 * Reads webhooks again while one of them moves, and after each event of the stream. Each read costs a request, so half of
 * the minute is left to others.
 */
export function useLiveWebhooks(webhooks: readonly Webhook[], read: () => void): void {
  const isAnyMoving = webhooks.some(isMoving);
  const latest = useRef(read);
  latest.current = read;
  const readIfAffordable = () => {
    const { limit, remaining } = minuteWindow.peek() ?? { limit: 1, remaining: 1 };
    if (!document.hidden && remaining * 2 > limit) latest.current();
  };
  useEffect(() => {
    if (!isAnyMoving) return;
    const timer = setInterval(readIfAffordable, EVERY_MS);
    return () => clearInterval(timer);
  }, [isAnyMoving]);
  useEffect(() => {
    const first = lastEvent.peek();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = lastEvent.subscribe((event) => {
      if (event === first) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        readIfAffordable();
      }, AFTER_EVENT_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}

export function typesText(types: readonly string[]): string {
  return types.includes('*') ? words.all : types.join(', ');
}

export function lagText(behind: number): string {
  return behind === 0 ? words.upToDate : words.behind(behind);
}

export function outcomeText({ outcome, status }: Attempt): string {
  return status === undefined ? words.outcomes[outcome] : words.answered(status);
}
