import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

// A key is psk_ + id (12) + secret (32) + checksum (6), all letters and digits. A secret scanner finds it with one
// pattern, and the checksum refuses a mistyped key without a look-up.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'psk_';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = PREFIX.length + 8;
const SHAPE = /^psk_[0-9A-Za-z]{50}$/;

/** Whether a text may hold a key, so that it must not be logged or repeated. */
export function mayHoldApiKey(text: string): boolean {
  return text.includes(PREFIX);
}

interface NewApiKey {
  /** The whole key: shown once, never stored. */
  key: string;
  id: string;
  hint: string;
  digest: string;
}

export function generateApiKey(): NewApiKey {
  const body = PREFIX + randomText(ID_LENGTH) + randomText(SECRET_LENGTH);
  return describeApiKey(body + checksum(body));
}

/** What is stored of a well-formed key. */
export function describeApiKey(key: string): NewApiKey {
  const id = key.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  return { key, id, hint: key.slice(0, HINT_LENGTH), digest: digestOf(key) };
}

export function isWellFormedApiKey(key: string): boolean {
  if (!SHAPE.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return key.endsWith(checksum(body));
}

export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = ALPHABET[rest % ALPHABET.length] + out;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return out;
}

/** Discards bytes of 248 and more: 248 is the largest multiple of 62 in a byte, so all letters are equally likely. */
function randomText(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && out.length < length) out += ALPHABET[byte % ALPHABET.length];
    }
  }
  return out;
}
