// The commands of `petstore server`, which work on the configured database. Their code is imported when one of them runs.

import { scopes } from '../domain/key.ts';
import { planIds } from '../domain/plan.ts';
import type { Command, OptionDeclaration } from './command.ts';

const json: OptionDeclaration = { description: 'print JSON' };
const workspace: OptionDeclaration = {
  value: 'ID',
  description: 'the id of the workspace (default 1)',
};
const limits = {
  'per-minute': { value: 'N', description: 'requests a minute on plan enterprise' },
  'per-day': { value: 'N', description: 'requests a day on plan enterprise' },
};
const plan = { value: 'PLAN', description: `one of ${planIds.join(', ')}` };
const place = 'a data folder or a postgres:// URL';

const keyCommands: readonly Command[] = [
  {
    name: 'server keys list',
    summary: 'List the keys of a workspace',
    options: { workspace, json },
    example: 'petstore server keys list',
    load: async () => (await import('./keys.ts')).listKeys,
  },
  {
    name: 'server keys create',
    summary: 'Create a key, which is printed once',
    options: {
      name: { value: 'NAME', description: 'the name of the key (default unnamed)' },
      scopes: { value: 'LIST', description: `some of ${scopes.join(',')} (default read,write)` },
      'expires-at': { value: 'TIME', description: 'when it expires (default never)' },
      workspace,
      json,
    },
    example:
      'petstore server keys create --name till --scopes read,write --expires-at 2027-01-31T09:00:00Z',
    load: async () => (await import('./keys.ts')).createKeyOfWorkspace,
  },
  {
    name: 'server keys generate',
    summary: 'Print a key for PETSTORE_BOOTSTRAP_KEY; it needs no database and is not stored',
    options: { json },
    example: 'petstore server keys generate',
    load: async () => (await import('./keys.ts')).generateKey,
  },
  {
    name: 'server keys rotate',
    argument: 'KEY_ID',
    summary:
      'Replace a key with a new one, which is printed once; the old one stays valid for a while',
    options: {
      'overlap-seconds': {
        value: 'N',
        description: 'how long the old key stays valid (default 86400, a day)',
      },
      workspace,
      json,
    },
    example: 'petstore server keys rotate 4f9ZkQ2mXw7a --overlap-seconds 3600',
    load: async () => (await import('./keys.ts')).rotateKeyOfWorkspace,
  },
  {
    name: 'server keys revoke',
    argument: 'KEY_ID',
    summary: 'Revoke a key; a running service notices within a second',
    options: { workspace, json },
    example: 'petstore server keys revoke 4f9ZkQ2mXw7a',
    load: async () => (await import('./keys.ts')).revokeKeyOfWorkspace,
  },
];

const workspaceCommands: readonly Command[] = [
  {
    name: 'server workspaces list',
    summary: 'List all workspaces',
    options: { json },
    example: 'petstore server workspaces list',
    load: async () => (await import('./workspaces.ts')).listWorkspaces,
  },
  {
    name: 'server workspaces create',
    summary: 'Create a workspace and its first key, which is printed once',
    options: {
      name: { value: 'NAME', description: 'the name of the workspace', isRequired: true },
      plan: { ...plan, description: `${plan.description} (default free)` },
      ...limits,
      json,
    },
    example: "petstore server workspaces create --name 'Second shop' --plan pro",
    load: async () => (await import('./workspaces.ts')).createNewWorkspace,
  },
  {
    name: 'server workspaces update',
    argument: 'ID',
    summary: 'Change the name, the plan or the limits of a workspace',
    options: { name: { value: 'NAME', description: 'the new name' }, plan, ...limits, json },
    example:
      'petstore server workspaces update 2 --plan enterprise --per-minute 5000 --per-day 1000000',
    load: async () => (await import('./workspaces.ts')).updateOneWorkspace,
  },
];

const archiveCommands: readonly Command[] = [
  {
    name: 'server export',
    summary: 'Write all records of a workspace into a new file, also while it is served',
    options: {
      workspace: { value: 'ID', description: 'the id of the workspace', isRequired: true },
      to: {
        value: 'FILE',
        description: 'the archive, a tar.gz that must not exist yet',
        isRequired: true,
      },
      json,
    },
    example: 'petstore server export --workspace 2 --to workspace-2.tar.gz',
    load: async () => (await import('./archive.ts')).exportToFile,
  },
  {
    name: 'server import-workspace',
    argument: 'FILE',
    summary: 'Create a workspace from an export and print its first key, once',
    options: { json },
    example: 'petstore server import-workspace workspace-2.tar.gz',
    load: async () => (await import('./archive.ts')).importFile,
  },
];

const banCommands: readonly Command[] = [
  {
    name: 'server bans list',
    summary: 'List the keys that are banned now',
    options: { json },
    example: 'petstore server bans list',
    load: async () => (await import('./keys.ts')).listBans,
  },
  {
    name: 'server bans lift',
    argument: 'KEY_ID',
    summary: 'Lift the ban of a key; a running service notices within a second',
    options: { json },
    example: 'petstore server bans lift 4f9ZkQ2mXw7a',
    load: async () => (await import('./keys.ts')).liftBanOfKey,
  },
];

const webhookCommands: readonly Command[] = [
  {
    name: 'server webhooks reset',
    summary:
      'when the key that encrypts the secrets of webhooks is lost: give these webhooks new secrets, and disable them',
    options: { yes: { description: 'the key is lost' }, json },
    example: 'petstore server webhooks reset --yes',
    load: async () => (await import('./webhooks.ts')).resetWebhooks,
  },
];

const backupCommands: readonly Command[] = [
  {
    name: 'server backup',
    summary: 'Copy the SQLite database into a new file, also while it is served',
    options: {
      to: { value: 'FILE', description: 'the copy, which must not exist yet' },
      into: {
        value: 'FOLDER',
        description: 'a folder for copies, each named after its time; needs --keep',
      },
      keep: { value: 'N', description: 'how many copies to keep in the folder of --into' },
      verify: { description: 'also check that the orders and the ledger of the copy add up' },
      json,
    },
    example: 'petstore server backup --into /backup --keep 14 --verify',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'server restore',
    summary: 'Restore a backup of the SQLite database into an empty folder, or test that it works',
    options: {
      from: { value: 'FILE', description: 'the copy', isRequired: true },
      to: { value: 'FOLDER', description: 'a data folder that is empty or does not exist yet' },
      drill: {
        description: 'test the backup: start a service from it, then delete what was restored',
      },
      json,
    },
    example: 'petstore server restore --from /backup/petstore-20261115T030000Z.db --drill',
    load: async () => (await import('./restore.ts')).restore,
  },
];

/** All commands of `petstore server`, in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: 'server start',
    summary: 'Serve until stopped; petstore serve is the same',
    options: {},
    example: 'PETSTORE_PORT=9000 petstore server start',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'server migrate',
    summary: 'Create the database or bring it up to date, and exit',
    options: { json },
    example: 'petstore server migrate',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  {
    name: 'server doctor',
    summary:
      'Check settings, files, database, clock, Valkey and backups, and say how to fix each problem',
    options: { json },
    readsSettings: true,
    example: 'petstore server doctor',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  ...keyCommands,
  ...workspaceCommands,
  ...archiveCommands,
  ...banCommands,
  ...webhookCommands,
  {
    name: 'server reconcile',
    summary: 'Check that orders and ledger add up to the counts',
    options: {
      repair: { description: 'correct the counts and write one ledger row for each pet' },
      json,
    },
    example: 'petstore server reconcile --repair',
    load: async () => (await import('./reconcile.ts')).reconcileStore,
  },
  ...backupCommands,
  {
    name: 'server demo',
    summary: 'Fill a workspace without pets with a store to look at: pets, stock, orders, history',
    options: {
      pets: { value: 'N', description: 'how many pets (default 20)' },
      workspace,
      json,
    },
    example: 'petstore server demo --pets 50',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  {
    name: 'server copy',
    summary: 'Copy a store into another database, and compare every row',
    options: {
      from: { value: 'PLACE', description: `the store to copy: ${place}`, isRequired: true },
      to: { value: 'PLACE', description: `where it goes: ${place}`, isRequired: true },
      json,
    },
    example: 'petstore server copy --from data --to postgres://petstore@db.internal/petstore',
    load: async () => (await import('./copy.ts')).copy,
  },
];
