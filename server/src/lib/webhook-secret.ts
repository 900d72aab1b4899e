import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES_MIN = 24;
const BYTES_MAX = 64;
const NEW_BYTES = 32;
const HINT_LENGTH = PREFIX.length + 4;

/** A new signing secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(NEW_BYTES).toString('base64');
}

/** The bytes of a signing secret; undefined unless it is `whsec_` and padded base64 of 24 to 64 bytes. */
export function webhookSecretBytes(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  // Decoding skips what is not base64, so only the one right way to write the bytes is taken.
  const isExact = bytes.toString('base64') === text;
  return isExact && bytes.length >= BYTES_MIN && bytes.length <= BYTES_MAX ? bytes : undefined;
}

/** Enough to tell two secrets apart, too little to guess one. */
export function webhookSecretHint(secret: string): string {
  return secret.slice(0, HINT_LENGTH);
}
