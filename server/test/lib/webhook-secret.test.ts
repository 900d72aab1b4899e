import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  newWebhookSecret,
  webhookSecretBytes,
  webhookSecretHint,
} from '../../src/lib/webhook-secret.ts';

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;

describe('a signing secret', () => {
  it('is new each time, with 256 random bits', () => {
    const secrets = Array.from({ length: 1_000 }, newWebhookSecret);
    expect(new Set(secrets).size).toBe(1_000);
    expect(webhookSecretBytes(secrets[0]!)).toHaveLength(32);
  });

  it('has 24 to 64 bytes', () => {
    expect([23, 24, 64, 65].map((n) => webhookSecretBytes(secretOf(n))?.length)).toEqual([
      undefined,
      24,
      64,
      undefined,
    ]);
  });

  it('is written in one way only', () => {
    const padded = `whsec_${Buffer.alloc(25, 7).toString('base64')}`;
    expect(webhookSecretBytes(padded)).toHaveLength(25);
    const disguises = [
      padded.replaceAll('=', ''),
      padded.slice('whsec_'.length),
      padded.replace('whsec_', 'WHSEC_'),
      `${padded} `,
      padded.replace('Bw', 'B w'),
      `whsec_${Buffer.alloc(25, 255).toString('base64url')}`,
    ];
    expect(disguises.map(webhookSecretBytes)).toEqual(disguises.map(() => undefined));
  });

  it('is hinted at by its first four characters', () => {
    expect(webhookSecretHint('whsec_abcdefgh')).toBe('whsec_abcd');
  });
});
