import type { WebhookDelivery } from './contract.ts';

const TOLERANCE_SECONDS = 300;
/** One of the signatures, which spaces separate. SHA-256 has 32 bytes. */
const SIGNATURE = /(?:^| )v1,([A-Za-z\d+/]{43}=?)(?= |$)/g;

/** The signature of a webhook is wrong, missing or too old: reject the request with 401. */
export class WebhookSignatureError extends Error {
  override name = 'WebhookSignatureError';
}

type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the clocks of the two sides may differ, the time on the way included. Default: 300. */
  toleranceSeconds?: number;
}

/**
 * Checks a delivery by Standard Webhooks 1.0 and returns it: an event, a batch (`type` `events.batch`) or a ping (`type`
 * `ping`). `body` is the text exactly as it arrived, or its bytes: parsing and printing it again changes them.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookDelivery> {
  // These are faults of the receiver, not of the sender.
  if (!secret) throw new TypeError('The secret of the webhook is missing.');
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('The body must be the text that arrived, not what was parsed from it.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookSignatureError(
      `webhook-timestamp is more than ${toleranceSeconds} seconds off.`,
    );
  }
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  // One that has another version or is no base64 is passed over: another one may be valid.
  for (const [, value] of headerOf(headers, 'webhook-signature').matchAll(SIGNATURE)) {
    // The comparison takes the same time wherever the two differ.
    if (await crypto.subtle.verify('HMAC', key, bytesOf(value!), signed)) {
      return JSON.parse(text) as WebhookDelivery;
    }
  }
  throw new WebhookSignatureError('webhook-signature does not match the body and the secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const value = entries.find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new WebhookSignatureError(`${name} is missing.`);
  return value;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookSignatureError('The secret is not base64.');
  }
}
