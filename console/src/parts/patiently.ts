import { RateLimitError } from '../api/errors.ts';
import { pause, request } from '../api/limits.ts';

/** Sends a request, and sends it again when the minute is over whose limit refused it. */
export async function patiently<T>(call: () => PromiseLike<T>): Promise<T> {
  try {
    return await request(call);
  } catch (err) {
    const { kind, until } = pause.value ?? {};
    if (!(err instanceof RateLimitError) || kind !== 'minute') throw err;
    await new Promise((resolve) => setTimeout(resolve, until! - Date.now()));
    return patiently(call);
  }
}
