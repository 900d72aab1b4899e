import { rotateKey as rotate } from '../../services/keys.ts';
import { created, writeOperation } from '../operation.ts';
import { keyId } from '../parameters.ts';
import { exampleNewKey, Key, newKeyView, Rotation, withoutSecret } from '../schemas/account.ts';

const OVERLAP_SECONDS_DEFAULT = 86_400;

export const rotateKey = writeOperation({
  id: 'rotateKey',
  method: 'POST',
  path: '/keys/{keyId}/rotate',
  tag: 'keys',
  scope: 'manage',
  summary: 'Replace a key by a new one',
  description: 'The new key has a new id; the old one lives on for `overlapSeconds`, then expires.',
  params: { keyId },
  body: Rotation,
  isBodyOptional: true,
  success: created(Key, 'The new key.'),
  example: exampleNewKey,
  handle: async ({ caller, params, body, now }, tx) => {
    const overlapSeconds = body.overlapSeconds ?? OVERLAP_SECONDS_DEFAULT;
    return newKeyView(await rotate(tx, caller, params.keyId, overlapSeconds, now));
  },
  storable: withoutSecret,
  onCommit: ({ keyRing }) => keyRing.forgetAll(),
});
