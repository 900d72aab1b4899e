import { OVERLAP_SECONDS_DEFAULT } from '../../domain/durations.ts';
import { rotateKey as rotate } from '../../services/keys.ts';
import { writeOperation } from '../operation.ts';
import { keyId } from '../parameters.ts';
import { exampleNewKey, Key, Rotation } from '../schemas/key.ts';
import { created } from '../success.ts';
import { newKeyView, withoutSecret } from '../views/key.ts';

export const rotateKey = writeOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotate',
  tag: 'keys',
  scope: 'manage',
  summary: 'Replace a key with a new one',
  description:
    'The new key has a new id; the old one stays valid for `overlapSeconds`, then expires, and its sessions with it. A key can be rotated once.',
  params: { keyId },
  body: Rotation,
  isBodyOptional: true,
  requestExample: { overlapSeconds: OVERLAP_SECONDS_DEFAULT },
  events: ['key.rotated'],
  audits: ['key.rotated'],
  success: created(Key, 'The new key.'),
  errors: ['key_already_rotated'],
  example: exampleNewKey,
  handle: async ({ caller, params, body, now }, tx) => {
    const overlapSeconds = body.overlapSeconds ?? OVERLAP_SECONDS_DEFAULT;
    return newKeyView(await rotate(tx, { caller, id: params.keyId, overlapSeconds, now }));
  },
  storable: withoutSecret,
});
