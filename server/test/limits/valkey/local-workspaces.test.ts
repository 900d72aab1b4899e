import { expect, it } from 'vitest';
import { newOffender } from '../../../src/limits/ban.ts';
import { adoptBans, LocalWorkspaces } from '../../../src/limits/valkey/local-workspaces.ts';

const ban = (since: number, strikes: number) => {
  const until = since + 60_000;
  return { keyId: 'key', workspaceId: 1, since, until, strikes, quietSince: until };
};

it.each([
  ['keeps a ban that the database has not saved yet', 200, 100, 200],
  ['takes over a later ban', 100, 200, 200],
])('%s', (_, known, stored, expected) => {
  const workspace = new LocalWorkspaces().get(1);
  workspace.offenders.set('key', newOffender(ban(known, 1)));
  adoptBans(workspace, [ban(stored, 2)]);
  expect(workspace.offenders.get('key')).toMatchObject({ since: expected });
});
