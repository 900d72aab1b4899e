import { setTimeout as pause } from 'node:timers/promises';

/** A service that still answers 503 by then is no longer overloaded, but broken. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 200;

/** Asks again while the service is overloaded, and returns its last answer. */
export async function settled<T>(
  ask: () => Promise<T>,
  isOverloaded: (answer: T) => boolean,
): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const answer = await ask();
    if (!isOverloaded(answer) || performance.now() >= giveUpAt) return answer;
    await pause(RETRY_MS * (1 + Math.random()));
  }
}
