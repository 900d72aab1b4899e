import { expect, it } from 'vitest';
import { newOffender, recordRefusal } from '../../../src/limits/ban.ts';
import { adoptBans, LocalWorkspaces } from '../../../src/limits/valkey/local-workspaces.ts';
import { openWindows } from '../../../src/limits/window.ts';

const MIDNIGHT = Date.UTC(2026, 0, 2);
const policy = { refusalsToBan: 30, ladderMs: [60_000] };

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

it('forgets a workspace after midnight, but not before its minute is over', () => {
  const workspaces = new LocalWorkspaces();
  openWindows(workspaces.get(1).counters, MIDNIGHT - 10_000);
  workspaces.sweep(MIDNIGHT + 5_000);
  expect(workspaces.find(1)).toBeDefined();
  workspaces.sweep(MIDNIGHT + 50_000);
  expect(workspaces.find(1)).toBeUndefined();
});

it('forgets no workspace of a key that was refused within the last minute', () => {
  const workspaces = new LocalWorkspaces();
  const { counters, offenders } = workspaces.get(1);
  openWindows(counters, MIDNIGHT - 60_000);
  const offender = newOffender();
  offenders.set('key', offender);
  recordRefusal(offender, MIDNIGHT - 5_000, policy);
  workspaces.sweep(MIDNIGHT + 5_000);
  expect(workspaces.find(1)).toBeDefined();
  workspaces.sweep(MIDNIGHT + 55_000);
  expect(workspaces.find(1)).toBeUndefined();
});
