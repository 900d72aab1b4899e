import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeApiKey,
  digestOf,
  generateApiKey,
  isWellFormedApiKey,
} from '../../src/lib/api-key.ts';

describe('an API key', () => {
  it('reads psk_ and 50 letters and digits, of which 160 random bits and more are secret', () => {
    const { key, id, hint } = generateApiKey();
    expect(key).toMatch(/^psk_[0-9A-Za-z]{50}$/);
    expect(id).toBe(key.slice(4, 16));
    expect(key.startsWith(hint)).toBe(true);
    expect(hint).toHaveLength(12);
    const secretLength = 50 - 12 - 6;
    expect(secretLength * Math.log2(62)).toBeGreaterThanOrEqual(160);
  });

  it('is never the same twice, and favours no character', () => {
    const keys = Array.from({ length: 20_000 }, () => generateApiKey());
    expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(keys.length);
    const counts = new Map<string, number>();
    for (const { key } of keys) {
      for (const char of key.slice(4, 48)) counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    const expected = (keys.length * 44) / 62;
    const chiSquare = [...counts.values()].reduce(
      (sum, n) => sum + (n - expected) ** 2 / expected,
      0,
    );
    expect(counts.size).toBe(62);
    // 61 degrees of freedom: beyond 130 by chance once in some million runs.
    expect(chiSquare).toBeLessThan(130);
  });

  it('is well-formed when it was generated, and not with any one character changed', () => {
    const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 53 }), fc.constantFrom(...ALPHABET), (at, char) => {
        const { key } = generateApiKey();
        expect(isWellFormedApiKey(key)).toBe(true);
        fc.pre(key[at] !== char);
        expect(isWellFormedApiKey(key.slice(0, at) + char + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('is not well-formed with two neighbours swapped, cut, padded or spaced', () => {
    const { key } = generateApiKey();
    for (let at = 4; at < 53; at++) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) expect(isWellFormedApiKey(swapped)).toBe(false);
    }
    for (const wrong of [
      '',
      'psk_',
      key.slice(1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.slice(0, -1),
    ]) {
      expect(isWellFormedApiKey(wrong)).toBe(false);
    }
  });

  it('is refused whatever it is, unless it was made here', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedApiKey(text)));
  });

  it('is stored as a SHA-256 digest that tells nothing of it', () => {
    const { key, id, hint, digest } = generateApiKey();
    expect(digest).toBe(createHash('sha256').update(key).digest('base64url'));
    expect(digestOf(key)).toBe(digest);
    expect(describeApiKey(key)).toEqual({ key, id, hint, digest });
  });
});
