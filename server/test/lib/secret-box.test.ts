import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretBox, UnreadableSecret } from '../../src/lib/secret-box.ts';

const [first, second] = [randomBytes(32), randomBytes(32)];

describe('a secret box', () => {
  it('opens what it sealed, and seals the same text differently each time', () => {
    const box = new SecretBox([first]);
    const sealed = [box.seal('whsec_é', 'workspace 1'), box.seal('whsec_é', 'workspace 1')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.join()).not.toContain('whsec');
    expect(sealed.map((text) => box.open(text, 'workspace 1'))).toEqual(['whsec_é', 'whsec_é']);
  });

  it('opens with every key of the ring and seals with the first', () => {
    const old = new SecretBox([first]).seal('secret', 'here');
    const both = new SecretBox([second, first]);
    expect(both.open(old, 'here')).toBe('secret');
    expect(new SecretBox([second]).open(both.seal('secret', 'here'), 'here')).toBe('secret');
  });

  it('knows whose key is missing, and does not open without it', () => {
    const sealed = new SecretBox([first]).seal('secret', 'here');
    const other = new SecretBox([second]);
    expect([new SecretBox([first]).knowsKeyOf(sealed), other.knowsKeyOf(sealed)]).toEqual([
      true,
      false,
    ]);
    expect(() => other.open(sealed, 'here')).toThrow(UnreadableSecret);
  });

  it('does not open what was changed, cut or moved to another context', () => {
    const box = new SecretBox([first]);
    const sealed = box.seal('secret', 'workspace 1');
    expect(() => box.open(sealed, 'workspace 2')).toThrow(UnreadableSecret);
    for (let at = 9; at < sealed.length - 1; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => box.open(changed, 'workspace 1'), `character ${at}`).toThrow(UnreadableSecret);
    }
    expect(() => box.open(sealed.slice(0, 20), 'workspace 1')).toThrow(UnreadableSecret);
    expect(() => box.open('', 'workspace 1')).toThrow(UnreadableSecret);
  });

  it('refuses a key of another size', () => {
    expect(() => new SecretBox([randomBytes(16)])).toThrow(/32 bytes/);
  });
});
