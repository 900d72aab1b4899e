import type { Key } from '@petstore/client';
import type { Tone } from '../../ui/badge.tsx';
import { ago, date } from '../../ui/format.ts';
import type { keyWords as words } from '../../words/keys.ts';
import { today } from '../overview/history.ts';

type KeyState = keyof typeof words.states;

const SOON_MS = 7 * 86_400_000;
const NEAR_MS = 2 * 86_400_000;
const tones: Record<KeyState, Tone> = {
  active: 'good',
  ending: 'warn',
  banned: 'bad',
  expired: 'neutral',
  revoked: 'neutral',
};

export function stateOf(
  { id, parentId, expiresAt, revokedAt }: Key,
  now: number,
  banned: ReadonlySet<string> = new Set(),
): KeyState {
  if (revokedAt !== undefined) return 'revoked';
  const leftMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'expired';
  if (banned.has(id)) return 'banned';
  // A session always ends within hours.
  return leftMs < SOON_MS && parentId === undefined ? 'ending' : 'active';
}

export function isEnded(key: Key, now: number): boolean {
  return ['expired', 'revoked'].includes(stateOf(key, now));
}

export const toneOf = (state: KeyState): Tone => tones[state];

/** Whether something used it on this UTC day. To revoke such a key, its name has to be typed. */
export function isUsedToday({ lastUsedAt }: Key, now: number): boolean {
  return lastUsedAt !== undefined && lastUsedAt.slice(0, 10) === today(now);
}

/** When it stopped working. */
export function endOf({ expiresAt, revokedAt }: Key): string | undefined {
  return revokedAt ?? expiresAt;
}

/** A day, or how long until then when it is near. */
export function endText(end: string, now: number): string {
  const leftMs = Date.parse(end) - now;
  return leftMs > 0 && leftMs < NEAR_MS ? ago(end, now) : date(end);
}
