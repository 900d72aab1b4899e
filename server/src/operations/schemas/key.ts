import { OVERLAP_SECONDS_MAX } from '../../domain/durations.ts';
import { scopes } from '../../domain/key.ts';
import { count, id, instant, name, newName, object } from './fields.ts';
import { Type } from './type.ts';

const keyName = name('What the key is for.', 'web shop');
const scopeList = Type.Unsafe<(typeof scopes)[number][]>({
  type: 'array',
  items: { type: 'string', enum: scopes },
  minItems: 1,
  uniqueItems: true,
  description: 'What the key may do; no scope implies another.',
});

export const Key = object('Key', {
  id: Type.String({ description: 'Unique identifier; the first part of the key itself.' }),
  name: keyName,
  hint: Type.String({ description: 'The first characters of the key.' }),
  scopes: scopeList,
  createdAt: instant('When it was created.'),
  expiresAt: Type.Optional(instant('When it expires; absent if it never does.')),
  lastUsedAt: Type.Optional(instant('When it was last used, to within some seconds.')),
  revokedAt: Type.Optional(instant('When it was revoked.')),
  parentId: Type.Optional(
    Type.String({ description: 'The key that opened this session; absent if it is no session.' }),
  ),
  key: Type.Optional(
    Type.String({ description: 'The key itself: only in the response that creates it.' }),
  ),
});

export const AnyKey = object('AnyKey', {
  ...Key.properties,
  workspaceId: id('The workspace of the key.'),
});

export const NewKey = object('NewKey', {
  name: newName('What the key is for.', 'web shop'),
  scopes: scopeList,
  expiresAt: Type.Optional(instant('When it expires; never if absent.')),
});

export const Rotation = object('Rotation', {
  overlapSeconds: Type.Optional(
    count('How long the old key stays valid; a day if absent.', 0, OVERLAP_SECONDS_MAX),
  ),
});

export const exampleKey = {
  id: '3ZrHIxYjJZft',
  name: 'web shop',
  hint: 'psk_3ZrHIxYj',
  scopes: ['read', 'write'],
  createdAt: '2026-11-15T09:00:00Z',
};

export const exampleNewKey = {
  ...exampleKey,
  key: 'psk_ followed by 50 letters and digits, shown this once',
};
