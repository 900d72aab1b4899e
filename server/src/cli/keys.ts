import { OVERLAP_SECONDS_DEFAULT, OVERLAP_SECONDS_MAX } from '../domain/durations.ts';
import { Refusal } from '../domain/errors.ts';
import { type Caller, isActive, type KeyRecord, type Scope, scopes } from '../domain/key.ts';
import { generateApiKey } from '../lib/api-key.ts';
import { formatInstant, parseInstant } from '../lib/instant.ts';
import { banView } from '../operations/views/ban.ts';
import { type CreatedKey, createKey, revokeKey, rotateKey } from '../services/keys.ts';
import { liftBan } from '../services/limits.ts';
import { type Printer, plural, type Run, type StoreInvocation, UsageError } from './command.ts';
import { getWorkspaceId, onStore } from './on-store.ts';
import { parseName } from './workspaces.ts';

export const listKeys = onStore(async (invocation) => {
  const workspaceId = await getWorkspaceId(invocation);
  const keys = await invocation.store.read.keys.listAll(workspaceId);
  invocation.print(keys.map(shown), keys.map(lineOf));
});

export const createKeyOfWorkspace = onStore(async (invocation) => {
  const { store, options, print } = invocation;
  const key = {
    name: parseName(options.name ?? 'unnamed'),
    scopes: parseScopes(options.scopes ?? 'read,write'),
    ...parseExpiry(options['expires-at']),
  };
  const workspaceId = await getWorkspaceId(invocation);
  const created = await store.transact((tx) =>
    createKey(tx, { workspaceId, key, now: Date.now() }),
  );
  printCreated(created, print);
});

export const rotateKeyOfWorkspace = onStore(async (invocation) => {
  const { store, options, argument: id, print } = invocation;
  const overlapSeconds = parseOverlap(options['overlap-seconds']);
  const workspaceId = await getWorkspaceId(invocation);
  const now = Date.now();
  const old = await getKey(invocation, workspaceId);
  if (!isActive(old, now)) {
    throw new Refusal('not_found', { message: `the key ${id} is ${stateOf(old, now)}` });
  }
  const caller = operator(workspaceId);
  const created = await store.transact((tx) => rotateKey(tx, { caller, id, overlapSeconds, now }));
  printCreated(created, print);
});

export const revokeKeyOfWorkspace = onStore(async (invocation) => {
  const { store, argument: id, print } = invocation;
  const workspaceId = await getWorkspaceId(invocation);
  await getKey(invocation, workspaceId);
  await store.transact((tx) => revokeKey(tx, { workspaceId, id, now: Date.now() }));
  print({ id, revoked: true }, [`${id} is revoked`]);
});

async function getKey(
  { store, argument: id }: StoreInvocation,
  workspaceId: number,
): Promise<KeyRecord> {
  const key = await store.read.keys.find(workspaceId, id);
  if (key) return key;
  const message = `workspace ${workspaceId} has no key ${id}; \`petstore server keys list\` shows all`;
  throw new Refusal('not_found', { message });
}

/** On this machine the operator may do everything. */
function operator(workspaceId: number): Caller {
  return { keyId: 'petstore', workspaceId, scopes, limits: { perMinute: 0, perDay: 0 } };
}

function printCreated({ record, key }: CreatedKey, print: Printer): void {
  print({ ...shown(record), key }, [lineOf(record), 'The key, which is shown once:', key]);
}

function parseScopes(text: string): Scope[] {
  const wanted = text.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !(scopes as readonly string[]).includes(scope));
  if (unknown !== undefined) {
    throw new UsageError(`--scopes takes some of ${scopes.join(',')}; ${unknown} is none of them`);
  }
  return scopes.filter((scope) => wanted.includes(scope));
}

function parseExpiry(text: string | undefined): { expiresAt?: number } {
  if (text === undefined) return {};
  const expiresAt = parseInstant(text);
  if (expiresAt === undefined || expiresAt <= Date.now()) {
    throw new UsageError('--expires-at takes a time in the future, like 2027-01-31T09:00:00Z');
  }
  return { expiresAt };
}

function parseOverlap(text: string | undefined): number {
  if (text === undefined) return OVERLAP_SECONDS_DEFAULT;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= OVERLAP_SECONDS_MAX)) {
    throw new UsageError(`--overlap-seconds takes an integer from 0 to ${OVERLAP_SECONDS_MAX}`);
  }
  return seconds;
}

function shown({ createdAt, expiresAt, lastUsedAt, revokedAt, rotatedAt, ...key }: KeyRecord) {
  const instants = { createdAt, expiresAt, lastUsedAt, revokedAt, rotatedAt };
  const written = Object.entries(instants).filter(([, at]) => at !== undefined);
  return { ...key, ...Object.fromEntries(written.map(([name, at]) => [name, formatInstant(at!)])) };
}

function lineOf(key: KeyRecord): string {
  const state = stateOf(key, Date.now());
  return [key.id, `${key.hint}…`, key.scopes.join(','), state, key.name].join('  ');
}

function stateOf({ revokedAt, expiresAt }: KeyRecord, now: number): string {
  if (revokedAt !== undefined) return `revoked ${formatInstant(revokedAt)}`;
  if (expiresAt === undefined) return 'active';
  return `${expiresAt <= now ? 'expired' : 'until'} ${formatInstant(expiresAt)}`;
}

/** For hosts that have only the image: nothing else on them makes a key that is well-formed. */
export const generateKey: Run = async ({ print }) => {
  const { key } = generateApiKey();
  print({ key }, [key]);
  return 0;
};

export const listBans = onStore(async ({ store, print }) => {
  const bans = await store.read.limits.listBansInForce(Date.now());
  const rows = bans.map(banView);
  const lines = rows.map(
    (ban) => `${ban.keyId}  until ${ban.until}  ${plural(ban.strikes, 'ban')}`,
  );
  print(rows, lines.length > 0 ? lines : ['no key is banned']);
});

export const liftBanOfKey = onStore(async ({ store, argument: keyId, print }) => {
  const isLifted = await store.transact((tx) => liftBan(tx, { keyId, now: Date.now() }));
  if (!isLifted) throw new Refusal('not_found', { message: `the key ${keyId} is not banned` });
  print({ keyId, lifted: true }, [`the ban of ${keyId} is lifted`]);
});
