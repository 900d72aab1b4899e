import { revokeKey as revoke } from '../../services/keys.ts';
import { empty, writeOperation } from '../operation.ts';
import { keyId } from '../parameters.ts';

export const revokeKey = writeOperation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  tag: 'keys',
  scope: 'manage',
  summary: 'Revoke a key',
  description: 'At once and for good. The last key that holds `manage` cannot be revoked.',
  params: { keyId },
  success: empty('The key is revoked.'),
  errors: ['last_manage_key'],
  handle: ({ caller, params, now }, tx) => revoke(tx, caller.workspaceId, params.keyId, now),
  onCommit: ({ keyRing }) => keyRing.forgetAll(),
});
