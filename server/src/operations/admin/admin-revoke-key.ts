import { revokeAnyKey } from '../../services/keys.ts';
import { writeOperation } from '../operation.ts';
import { anyKeyId } from '../parameters.ts';
import { empty } from '../success.ts';

export const adminRevokeKey = writeOperation({
  id: 'adminRevokeKey',
  method: 'DELETE',
  path: '/admin/keys/{keyId}',
  tag: 'admin',
  scope: 'operate',
  summary: 'Revoke a key of any workspace',
  description:
    'The key stops working on every node within a second, and its sessions end with it; also the last key of a workspace with the scope `manage`. The last key of the service with the scope `operate` that does not expire cannot be revoked.',
  params: { keyId: anyKeyId },
  events: ['key.revoked'],
  audits: ['key.revoked', 'session.ended'],
  success: empty('The key is revoked.'),
  errors: ['last_operate_key'],
  handle: ({ params, now }, tx) => revokeAnyKey(tx, { id: params.keyId, now }),
});
