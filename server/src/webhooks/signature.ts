// Signatures as Standard Webhooks 1.0 defines them (https://www.standardwebhooks.com).

import { createHmac } from 'node:crypto';
import { webhookSecretBytes } from '../lib/webhook-secret.ts';

interface SignedMessage {
  /** Stays the same on every retry, so receivers can tell a repetition. */
  id: string;
  /** The very text that is sent: receivers check the bytes before they parse them. */
  body: string;
  /** When this attempt is made, in epoch milliseconds. */
  at: number;
}

interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Signs with every secret in force, so receivers that know any one of them accept the message. */
export function signatureHeaders(
  { id, body, at }: SignedMessage,
  secrets: readonly string[],
): SignatureHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(signed, secret)).join(' '),
  };
}

function signatureOf(signed: string, secret: string): string {
  const key = webhookSecretBytes(secret);
  if (!key) throw new Error('a signing secret is not well-formed');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
