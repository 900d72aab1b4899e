// Seals secrets that the service must be able to read again, such as the signing secrets of webhooks:
// AES-256-GCM with a fresh nonce each time. The first key of the ring seals, every key opens, so a key is replaced
// by listing the new one in front of it. The context is authenticated: a sealed text that was moved to
// another context does not open.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

export const SECRET_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed text begins with the name of its key. */
export const KEY_NAME_LENGTH = 8;

/** The sealed text cannot be read: its key is not in the ring, or it is not what was sealed. */
export class UnreadableSecret extends Error {}

export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealingKey: string;

  constructor(keys: readonly [Buffer, ...Buffer[]]) {
    if (keys.some((key) => key.length !== SECRET_KEY_BYTES)) {
      throw new Error(`a secret key has ${SECRET_KEY_BYTES} bytes`);
    }
    this.#keys = new Map(keys.map((key) => [keyName(key), key]));
    this.#sealingKey = keyName(keys[0]);
  }

  /** Text of the form `<name of the key>.<nonce, ciphertext and tag in base64url>`. */
  seal(secret: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#sealingKey)!, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return `${this.#sealingKey}.${Buffer.concat(sealed).toString('base64url')}`;
  }

  open(sealed: string, context: string): string {
    const key = this.#keys.get(keyNameOf(sealed));
    if (!key) throw new UnreadableSecret('the key that sealed this secret is not configured');
    const bytes = Buffer.from(sealed.slice(KEY_NAME_LENGTH + 1), 'base64url');
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    try {
      cipher.setAAD(Buffer.from(context));
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, cipher.final()]).toString('utf8');
    } catch (err) {
      throw new UnreadableSecret('the sealed secret was changed', { cause: err });
    }
  }

  /** Whether the key that sealed it is in the ring. */
  knowsKeyOf(sealed: string): boolean {
    return this.#keys.has(keyNameOf(sealed));
  }
}

function keyNameOf(sealed: string): string {
  return sealed.slice(0, KEY_NAME_LENGTH);
}

/** Tells keys apart and says nothing about them. */
function keyName(key: Buffer): string {
  return hash('sha256', key, 'base64url').slice(0, KEY_NAME_LENGTH);
}
