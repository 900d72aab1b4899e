import { grantKey } from '../../services/keys.ts';
import { writeOperation } from '../operation.ts';
import { readInstant } from '../schemas/fields.ts';
import { exampleNewKey, Key, NewKey } from '../schemas/key.ts';
import { created } from '../success.ts';
import { newKeyView, withoutSecret } from '../views/key.ts';

export const createKey = writeOperation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  tag: 'keys',
  scope: 'manage',
  summary: 'Create a key',
  description:
    'Only this response contains the key itself. A key can grant only scopes that it has itself.',
  body: NewKey,
  requestExample: { name: 'web shop', scopes: ['read', 'write'] },
  events: ['key.created'],
  audits: ['key.created'],
  success: created(Key, 'The key that was created.'),
  example: exampleNewKey,
  handle: async ({ caller, body, now }, tx) => {
    const { name, scopes, expiresAt } = body;
    const expiry = expiresAt === undefined ? {} : { expiresAt: readInstant(expiresAt) };
    const key = { name, scopes, ...expiry };
    return newKeyView(await grantKey(tx, { caller, key, now }));
  },
  storable: withoutSecret,
});
