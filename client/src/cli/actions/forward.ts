import { createHmac } from 'node:crypto';
import type { PetstoreEvent as Event } from '../../contract.ts';
import { ConnectionError } from '../../errors.ts';
import { follow, pause, unlessAborted } from '../../retry.ts';

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;
const TIMEOUT_MS = 15_000;
/** A receiver that rejects an event as often as this is not going to take it. */
const REJECTIONS_MAX = 4;
/** A receiver that is away for as many attempts is given up: with the waits between them, that is five minutes or more. */
const ATTEMPTS_MAX = 32;

interface Forwarding {
  url: string;
  secret: string;
  /** The command that goes on, without its cursor. */
  command: string;
  signal: AbortSignal;
  say: (line: string) => void;
}

/**
 * The secret that forwarded events are signed with. It follows from the key, so it is the same on every machine and
 * stored nowhere; the key does not follow from it.
 */
export function listenSecret(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('petstore listen').digest('base64')}`;
}

/**
 * Sends an event, signed by Standard Webhooks 1.0, until the receiver takes it. The next event waits, so the order stays.
 * Only an event that the receiver keeps rejecting with a 4xx is skipped. A receiver that takes nothing else is given up, with
 * the cursor of the last event that was taken.
 */
export function forwardTo({ url, secret, command, signal, say }: Forwarding) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return async (event: Event, last: string): Promise<void> => {
    const body = JSON.stringify(event);
    let rejections = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await send({ url, key, id: event.id, body, signal });
      if (outcome === 'delivered') return;
      const isRejected = /^4/.test(outcome) && outcome !== '408' && outcome !== '429';
      if (isRejected) rejections += 1;
      if (rejections >= REJECTIONS_MAX) {
        say(`${event.id} was answered with ${outcome} ${rejections} times and is skipped`);
        return;
      }
      if (attempt === ATTEMPTS_MAX) {
        const message = `${url} did not take ${event.id} in ${attempt} attempts (${outcome}). Go on later with ${command} --from ${last}`;
        throw new ConnectionError({ code: 'receiver_away', message, status: 0 });
      }
      const delayMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (attempt - 1));
      say(`${event.id} was not taken (${outcome}); trying again in ${delayMs / 1000} s`);
      await pause(delayMs, signal);
    }
  };
}

interface Delivery {
  url: string;
  key: Buffer;
  id: string;
  body: string;
  signal: AbortSignal;
}

/** Returns `delivered`, the status, or why there was none. */
async function send({ url, key, id, body, signal }: Delivery): Promise<string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
  const ending = new AbortController();
  const release = follow(signal, ending);
  const timer = setTimeout(() => ending.abort(), TIMEOUT_MS);
  // On Node 20, fetch may lose its signal.
  const until = <T>(work: Promise<T>) => unlessAborted(ending.signal, work);
  try {
    const request = fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: ending.signal,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature.digest('base64')}`,
      },
      body,
    });
    const response = await until(request);
    await until(response.arrayBuffer());
    return response.ok ? 'delivered' : String(response.status);
  } catch {
    if (signal.aborted) throw signal.reason;
    return ending.signal.aborted ? 'no answer in time' : 'not reachable';
  } finally {
    clearTimeout(timer);
    release();
  }
}
