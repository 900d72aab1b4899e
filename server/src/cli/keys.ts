import { type KeyRecord, type Scope, scopes } from '../domain/key.ts';
import { formatInstant, parseInstant } from '../lib/instant.ts';
import { createKey, revokeKey } from '../services/keys.ts';
import { type Command, UsageError } from './command.ts';

export async function keysCommand(command: Command): Promise<void> {
  const [action, id] = command.words;
  const workspaceId = workspaceOf(command);
  if (!(await command.store.read.workspaces.find(workspaceId))) {
    throw new UsageError(
      `there is no workspace ${workspaceId}; the first start creates workspace 1`,
    );
  }
  if (action === 'list') return list(command, workspaceId);
  if (action === 'create') return create(command, workspaceId);
  if (action === 'revoke' && id) return revoke(command, workspaceId, id);
  throw new UsageError('keys takes list, create or revoke KEY_ID');
}

async function list({ store, print }: Command, workspaceId: number): Promise<void> {
  const keys = await store.transact((tx) => tx.keys.listAndLock(workspaceId));
  print(keys.map(shown), keys.map(lineOf));
}

async function create({ store, options, print }: Command, workspaceId: number): Promise<void> {
  const input = {
    name: options.name ?? 'unnamed',
    scopes: scopesOf(options.scopes ?? 'read,write'),
    ...expiryOf(options['expires-at']),
  };
  const { record, key } = await store.transact((tx) =>
    createKey(tx, { workspaceId, key: input, now: Date.now() }),
  );
  print({ ...shown(record), key }, [`${lineOf(record)}`, 'Shown once, stored nowhere:', key]);
}

async function revoke({ store, print }: Command, workspaceId: number, id: string): Promise<void> {
  if (!(await store.read.keys.find(workspaceId, id))) {
    throw new UsageError(`workspace ${workspaceId} has no key ${id}`);
  }
  await store.transact((tx) => revokeKey(tx, { workspaceId, id, now: Date.now() }));
  print({ id, revoked: true }, [`${id} is revoked`]);
}

function workspaceOf({ options }: Command): number {
  const id = Number(options.workspace ?? '1');
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageError('--workspace takes an id');
  return id;
}

function scopesOf(text: string): Scope[] {
  const wanted = text.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown !== undefined) throw new UsageError(`--scopes takes some of ${scopes.join(',')}`);
  return scopes.filter((scope) => wanted.includes(scope));
}

function expiryOf(text: string | undefined): { expiresAt?: number } {
  if (text === undefined) return {};
  const expiresAt = parseInstant(text);
  if (expiresAt === undefined || expiresAt <= Date.now()) {
    throw new UsageError('--expires-at takes a time to come, like 2027-01-31T09:00:00Z');
  }
  return { expiresAt };
}

function shown({ createdAt, expiresAt, lastUsedAt, revokedAt, ...key }: KeyRecord) {
  const instants = { createdAt, expiresAt, lastUsedAt, revokedAt };
  const written = Object.entries(instants).filter(([, at]) => at !== undefined);
  return { ...key, ...Object.fromEntries(written.map(([name, at]) => [name, formatInstant(at!)])) };
}

function lineOf(key: KeyRecord): string {
  const state = key.revokedAt
    ? 'revoked'
    : key.expiresAt
      ? `until ${formatInstant(key.expiresAt)}`
      : 'active';
  return [key.id, `${key.hint}…`, key.scopes.join(','), state, key.name].join('  ');
}
