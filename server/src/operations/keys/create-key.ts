import { parseInstant } from '../../lib/instant.ts';
import { grantKey } from '../../services/keys.ts';
import { created, writeOperation } from '../operation.ts';
import { exampleNewKey, Key, NewKey, newKeyView, withoutSecret } from '../schemas/account.ts';

export const createKey = writeOperation({
  id: 'createKey',
  method: 'POST',
  path: '/keys',
  tag: 'keys',
  scope: 'manage',
  summary: 'Create a key',
  description:
    'The key itself is in this answer and nowhere else. It can grant only your own scopes.',
  body: NewKey,
  success: created(Key, 'The key that was created.'),
  example: exampleNewKey,
  handle: async ({ caller, body, now }, tx) => {
    const { name, scopes } = body;
    const expiresAt = body.expiresAt === undefined ? undefined : parseInstant(body.expiresAt);
    const input = { name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) };
    return newKeyView(await grantKey(tx, caller, input, now));
  },
  storable: withoutSecret,
});
