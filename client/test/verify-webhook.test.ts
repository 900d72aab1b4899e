import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook, WebhookSignatureError } from '../src/petstore.ts';

const NOW_SECONDS = 1_800_000_000;
const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const event = { type: 'order.placed', data: { id: 1, customer: 'Zoë 🐕' } };
const BODY = JSON.stringify(event);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_SECONDS * 1000, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function signatureOf(key: Buffer, timestamp = NOW_SECONDS): string {
  return createHmac('sha256', key).update(`msg_1.${timestamp}.${BODY}`).digest('base64');
}

function headersWith(signatures: string, timestamp = NOW_SECONDS): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures,
  };
}

const valid = `v1,${signatureOf(KEY)}`;
const foreign = `v1,${signatureOf(Buffer.alloc(32, 8))}`;

describe('a delivery', () => {
  it('is accepted within the tolerance that the receiver chooses', async () => {
    const late = NOW_SECONDS - 400;
    const headers = headersWith(`v1,${signatureOf(KEY, late)}`, late);
    await expect(verifyWebhook(headers, BODY, SECRET)).rejects.toThrow('more than 300 seconds');
    expect(await verifyWebhook(headers, BODY, SECRET, { toleranceSeconds: 400 })).toEqual(event);
    const young = verifyWebhook(headers, BODY, SECRET, { toleranceSeconds: 399 });
    await expect(young).rejects.toThrow(WebhookSignatureError);
  });

  it('is accepted as the bytes that arrived', async () => {
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [bytes, Buffer.from(bytes)]) {
      expect(await verifyWebhook(headersWith(valid), body, SECRET)).toEqual(event);
    }
  });

  it('is accepted whatever the case of the names of its headers', async () => {
    const entries = Object.entries(headersWith(valid));
    const upper = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]));
    await expect(verifyWebhook(upper, BODY, SECRET)).resolves.toEqual(event);
  });

  it.each([
    ['a valid signature', valid],
    ['that of another secret before it', `${foreign} ${valid}`],
    ['that of another secret after it', `${valid} ${foreign}`],
    ['one that is no base64 before it', `v1,%%% ${valid}`],
    ['one that is too short before it', `v1,AAAA ${valid}`],
    ['one of another version before it', `v1a,${signatureOf(KEY)} ${valid}`],
  ])('is accepted with %s', async (_, signatures) => {
    const headers = headersWith(signatures);
    expect(await verifyWebhook(headers, BODY, SECRET)).toEqual(event);
    expect(await verifyWebhook(new Headers(headers), BODY, SECRET)).toEqual(event);
  });

  it.each([
    ['no signature', ''],
    ['the signature of another secret', foreign],
    ['a signature that is no base64', 'v1,%%%'],
    ['a signature that is cut', valid.slice(0, -2)],
    ['a signature without its version', signatureOf(KEY)],
    ['a signature of another version', `v2,${signatureOf(KEY)}`],
    ['signatures that nothing separates', `v0,${valid}`],
  ])('is refused with %s', async (_, signatures) => {
    const verified = verifyWebhook(headersWith(signatures), BODY, SECRET);
    await expect(verified).rejects.toBeInstanceOf(WebhookSignatureError);
  });

  it.each([
    [undefined, BODY, 'The secret of the webhook is missing.'],
    ['', BODY, 'The secret of the webhook is missing.'],
    [SECRET, event, 'The body must be the text that arrived, not what was parsed from it.'],
    [SECRET, undefined, 'The body must be the text that arrived, not what was parsed from it.'],
  ])(
    'is a fault of the receiver with the secret %j and the body %j',
    async (secret, body, message) => {
      const verified = verifyWebhook(headersWith(valid), body as string, secret as string);
      await expect(verified).rejects.toThrow(new TypeError(message));
    },
  );

  it('is refused when its body was changed', async () => {
    const verified = verifyWebhook(headersWith(valid), `${BODY} `, SECRET);
    await expect(verified).rejects.toBeInstanceOf(WebhookSignatureError);
    await expect(verified).rejects.toMatchObject({ name: 'WebhookSignatureError' });
  });

  it.each([-301, 301])('is refused when its time is %i seconds off', async (offset) => {
    const timestamp = NOW_SECONDS + offset;
    const headers = headersWith(`v1,${signatureOf(KEY, timestamp)}`, timestamp);
    const verified = verifyWebhook(headers, BODY, SECRET);
    await expect(verified).rejects.toThrow('more than 300 seconds off');
  });

  it.each([-300, 300])('is accepted when its time is %i seconds off', async (offset) => {
    const timestamp = NOW_SECONDS + offset;
    const headers = headersWith(`v1,${signatureOf(KEY, timestamp)}`, timestamp);
    expect(await verifyWebhook(headers, BODY, SECRET)).toEqual(event);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'is refused without %s',
    async (name) => {
      const { [name]: _, ...headers } = headersWith(valid);
      const verified = verifyWebhook(headers, BODY, SECRET);
      await expect(verified).rejects.toThrow(`${name} is missing`);
    },
  );

  it.each(['', 'whsec_', 'whsec_%%%'])('is never accepted with the secret %j', async (secret) => {
    const forged = `v1,${signatureOf(Buffer.alloc(0))}`;
    await expect(verifyWebhook(headersWith(forged), BODY, secret)).rejects.toThrow();
  });
});
