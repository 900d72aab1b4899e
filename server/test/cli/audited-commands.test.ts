// Every command that writes to the database leaves its rows in the audit log, with the host and the user.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { recordUpgrade } from '../../src/cli/migrate.ts';
import { authoredStore } from '../../src/cli/on-store.ts';
import { runCommand } from '../../src/cli/run-command.ts';
import { readConfig } from '../../src/config.ts';
import type { Datastore } from '../../src/datastore/datastore.ts';
import { readMigrations } from '../../src/datastore/migrations.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { SecretBox } from '../../src/lib/secret-box.ts';
import { exportWorkspace } from '../../src/services/archive/workspace-exports.ts';
import { gzipped } from '../../src/services/archive/write-archive.ts';
import { createKey } from '../../src/services/keys.ts';
import { saveBan } from '../../src/services/limits.ts';
import { createWebhook } from '../../src/services/webhooks.ts';
import { bootstrap, createWorkspace } from '../../src/services/workspaces.ts';
import { openStore } from '../../src/stores.ts';
import { captureOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const output = captureOutput();
let store: Datastore;

beforeAll(async () => {
  ({ store } = await openStore(readConfig({ PETSTORE_DATA_DIR: folder.path })));
  await bootstrap(store, { now: Date.now() });
});
beforeEach(() => vi.stubEnv('PETSTORE_DATA_DIR', folder.path));
afterAll(async () => {
  await store.close();
  folder.remove();
});

async function newKey(): Promise<string> {
  const key = { name: 'till', scopes: ['read'] as const };
  const created = await store.transact((tx) =>
    createKey(tx, { workspaceId: 1, key, now: Date.now() }),
  );
  return created.record.id;
}

async function bannedKey(): Promise<string> {
  const keyId = await newKey();
  const since = Date.now();
  const ban = { workspaceId: 1, since, until: since + 600_000, strikes: 1, quietSince: since };
  await store.transact((tx) => saveBan(tx, { keyId, ...ban }));
  return keyId;
}

/** The counts of a pet no longer follow from its ledger. */
async function breakStock(): Promise<string> {
  await store.transact(async (tx) => {
    const { items } = await tx.pets.list(1, {}, { sort: 'id', limit: 1 });
    await tx.audit.setReserved({ workspaceId: 1, petId: items[0]!.id }, 0);
    await tx.audit.setReserved({ workspaceId: 1, petId: items[0]!.id }, 1);
  });
  return '--repair';
}

/** An archive of a workspace that no command has made. */
async function archive(): Promise<string> {
  const { workspace } = await store.transact((tx) =>
    createWorkspace(tx, { workspace: { name: 'Moving' }, now: Date.now() }),
  );
  const wanted = { workspaceId: workspace.id, audience: 'operator' } as const;
  const file = `${folder.path}/moving.tar.gz`;
  await writeFile(file, gzipped(exportWorkspace(store, systemClock, wanted)));
  return file;
}

/** A webhook whose secret was encrypted with a key that is lost. */
async function lostSecret(): Promise<string> {
  const box = new SecretBox([randomBytes(32)]);
  const unused = vi.fn();
  const gateway = {
    isVerifying: false,
    seal: (secret: string) => box.seal(secret, 'webhook'),
    ...{ checkUrl: unused, ping: unused, redeliver: unused },
  };
  const settings = { url: 'https://shop.example/', types: ['*'], batchMax: 1, perSecondMax: 20 };
  const webhook = { caller: { workspaceId: 1 }, settings, cursor: 0, gateway, now: Date.now() };
  await store.transact((tx) => createWebhook(tx, webhook));
  return '--yes';
}

const none = async () => '';
/** The actions of each command that writes, and what it needs. */
const writing: Record<string, [actions: readonly string[], rest: () => Promise<string>]> = {
  'server keys create': [['key.created'], none],
  'server keys rotate': [['key.rotated'], newKey],
  'server keys revoke': [['key.revoked'], newKey],
  'server workspaces create': [['key.created', 'workspace.created'], async () => '--name Paws'],
  'server workspaces update': [['workspace.updated'], async () => '1 --name Renamed'],
  'server export': [
    ['workspace.exported'],
    async () => `--workspace 1 --to ${folder.path}/first.tar.gz`,
  ],
  'server import-workspace': [['key.created', 'workspace.imported'], archive],
  'server bans lift': [['ban.lifted'], bannedKey],
  'server webhooks reset': [['webhook.rotated', 'webhook.updated'], lostSecret],
  'server demo': [['command.run', 'key.created', 'workspace.updated'], async () => '--pets 2'],
  'server reconcile': [['command.run'], breakStock],
};
/** These change no row of a tenant. Upgrades, copies and restores have tests of their own below. */
const others = [
  ...['server start', 'server migrate', 'server copy', 'server backup', 'server keys generate'],
  ...['server keys list', 'server workspaces list', 'server bans list', 'server doctor'],
  ...['server restore'],
];

async function rows() {
  const page = { limit: 500, sort: 'at' } as const;
  const { items } = await store.read.auditLog.list(undefined, {}, page);
  return items.sort((a, b) => a.id - b.id);
}

it.each(commands.map(({ name }) => name))('`%s` is one of the two kinds', (name) => {
  expect(name in writing || others.includes(name), `add ${name} to this test`).toBe(true);
});

it.each(Object.entries(writing))('`%s` leaves its rows', async (name, [actions, rest]) => {
  const words = [...name.split(' '), ...(await rest()).split(' ').filter(Boolean)];
  const before = (await rows()).length;
  await runCommand(words);
  // An import brings the rows of its archive along. They name the service.
  const all = (await rows()).slice(before);
  const written = all.filter(({ actor }) => actor.type !== 'service');
  expect(new Set(written.map(({ action }) => action)), output.stderr).toEqual(new Set(actions));
  const actor = { type: 'command', id: hostname(), name: userInfo().username };
  for (const row of written) expect(row.actor).toEqual(actor);
});

it('`server copy` leaves a row in both databases, and a copy that is refused leaves none', async () => {
  const [from, to] = [temporaryFolder(), temporaryFolder()];
  const fromStore = async (place: string) => {
    const opened = await openStore(readConfig({ PETSTORE_DATA_DIR: place }));
    const { items } = await opened.store.read.auditLog.list(
      undefined,
      {},
      { limit: 9, sort: 'at' },
    );
    await opened.store.close();
    return items.filter(({ action }) => action === 'command.run');
  };
  const source = await openStore(readConfig({ PETSTORE_DATA_DIR: from.path }));
  await bootstrap(source.store, { now: Date.now() });
  await source.store.close();
  expect(await runCommand(['server', 'copy', '--from', from.path, '--to', to.path])).toBe(0);
  const run = { workspaceId: 0, target: 'service', after: { command: 'server copy' } };
  const [first, ...more] = await fromStore(from.path);
  expect([first, more]).toMatchObject([{ ...run, actor: { type: 'command', id: hostname() } }, []]);
  expect(await fromStore(to.path)).toEqual([first]);
  expect(await runCommand(['server', 'copy', '--from', folder.path, '--to', to.path])).toBe(1);
  expect(await fromStore(to.path)).toEqual([first]);
  from.remove();
  to.remove();
});

it('`server restore` leaves a row in what it restored', async () => {
  const place = temporaryFolder();
  const copy = `${place.path}/copy.db`;
  expect(await runCommand(['server', 'backup', '--to', copy])).toBe(0);
  const to = `${place.path}/data`;
  expect(await runCommand(['server', 'restore', '--from', copy, '--to', to])).toBe(0);
  const restored = await openStore(readConfig({ PETSTORE_DATA_DIR: to }));
  const page = { limit: 1, sort: '-at' } as const;
  const { items } = await restored.store.read.auditLog.list(undefined, {}, page);
  await restored.store.close();
  const actor = { type: 'command', id: hostname(), name: userInfo().username };
  const after = { command: 'server restore' };
  expect(items).toMatchObject([{ workspaceId: 0, action: 'command.run', actor, after }]);
  place.remove();
});

it('`server migrate` leaves a row for an upgrade, and none for a new database or one that is up to date', async () => {
  const before = (await rows()).length;
  expect(await runCommand(['server', 'migrate'])).toBe(0);
  const author = authoredStore(store);
  await recordUpgrade(
    author,
    readMigrations().map(({ name }) => name),
  );
  expect((await rows()).length).toBe(before);
  await recordUpgrade(author, ['0002-later.sql']);
  const actor = { type: 'command', id: hostname(), name: userInfo().username };
  const run = { workspaceId: 0, action: 'command.run', actor };
  expect((await rows()).slice(before)).toMatchObject([
    { ...run, target: 'service', after: { command: 'server migrate' } },
  ]);
});

it('a command that is refused leaves none', async () => {
  const before = await rows();
  expect(await runCommand(['server', 'keys', 'revoke', 'nothing'])).toBe(1);
  expect(await runCommand(['server', 'bans', 'lift', await newKey()])).toBe(1);
  expect((await rows()).length).toBe(before.length + 1);
});
