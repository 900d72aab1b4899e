import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../src/lib/webhook-secret.ts';
import { signatureHeaders } from '../../src/webhooks/signing-sender.ts';

const verify = (secret: string, body: string, headers: Record<string, string>) =>
  new Webhook(secret).verify(body, headers);

function sign(body: string, secrets: string[], at = Date.now()) {
  return { ...signatureHeaders({ id: 'evt_1_2_abc', body, at }, secrets) };
}

describe('a signature', () => {
  it('is accepted by the reference implementation for any text', () => {
    const secret = newWebhookSecret();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const body = JSON.stringify({ type: 'pet.created', data: { name: `${text} 🐕 é` } });
        expect(verify(secret, body, sign(body, [secret]))).toEqual(JSON.parse(body));
      }),
    );
  });

  it('is of the bytes that are sent, whatever JSON they mean', () => {
    const secret = newWebhookSecret();
    const headers = sign('{"a": 1}', [secret]);
    expect(verify(secret, '{"a": 1}', headers)).toEqual({ a: 1 });
    expect(() => verify(secret, '{"a":1}', headers)).toThrow();
  });

  it('is made with every secret in force and with no other', () => {
    const [old, current, foreign] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const headers = sign('{}', [current, old]);
    for (const secret of [old, current]) expect(verify(secret, '{}', headers)).toEqual({});
    expect(() => verify(foreign, '{}', headers)).toThrow();
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  });

  it('takes secrets of 24 and of 64 bytes', () => {
    for (const bytes of [24, 64]) {
      const secret = `whsec_${Buffer.alloc(bytes, 9).toString('base64')}`;
      expect(verify(secret, '{}', sign('{}', [secret]))).toEqual({});
    }
  });

  it('carries the second of the attempt, so an old message is not accepted again', () => {
    const secret = newWebhookSecret();
    const at = 1_800_000_000_999;
    expect(sign('{}', [secret], at)['webhook-timestamp']).toBe('1800000000');
    const old = sign('{}', [secret], Date.now() - 600_000);
    expect(() => verify(secret, '{}', old)).toThrow(/timestamp/i);
    const moved = { ...old, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
    expect(() => verify(secret, '{}', moved)).toThrow();
  });
});
