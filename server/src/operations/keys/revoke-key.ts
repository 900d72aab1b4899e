import { revokeKey as revoke } from '../../services/keys.ts';
import { writeOperation } from '../operation.ts';
import { keyId } from '../parameters.ts';
import { empty } from '../success.ts';

export const revokeKey = writeOperation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  tag: 'keys',
  scope: 'manage',
  summary: 'Revoke a key',
  description:
    'The key stops working at once and cannot be restored, and its sessions end with it. Revoking a session signs it out and emits nothing. The last key with the scope `manage` that does not expire cannot be revoked, nor the last key of the service with the scope `operate` that does not expire.',
  params: { keyId },
  events: ['key.revoked'],
  audits: ['key.revoked', 'session.ended'],
  success: empty('The key is revoked.'),
  errors: ['last_manage_key', 'last_operate_key'],
  handle: ({ caller: { workspaceId, keyId }, params, now }, tx) =>
    revoke(tx, { workspaceId, keyId, id: params.keyId, now }),
});
