import { count, INTEGER_MAX, id, instant, object } from './fields.ts';
import { Type } from './type.ts';

export const Ban = object('Ban', {
  keyId: Type.String({ description: 'The API key.' }),
  workspaceId: id('The workspace of the key.'),
  since: instant('When the ban began.'),
  until: instant('When it ends.'),
  strikes: count('The number of bans of the key so far.', 0, INTEGER_MAX),
});

export const exampleBan = {
  keyId: '3ZrHIxYjJZft',
  workspaceId: 1,
  since: '2026-11-15T09:00:00Z',
  until: '2026-11-15T09:01:00Z',
  strikes: 1,
};
