import type { Key, Usage, Workspace } from '../../contract.ts';
import { Keys, Usages, Workspaces } from '../../contract.ts';
import { PermissionError } from '../../errors.ts';
import { Transport } from '../../transport.ts';
import { confirm, isAsked, readSecret } from '../ask.ts';
import {
  type Arguments,
  SettingsError,
  shellWord,
  type Terminal,
  UsageError,
  WrongWords,
} from '../command.ts';
import { connect, fetchFromService } from '../connection.ts';
import {
  type Format,
  fieldsIn,
  formatIn,
  isJson,
  note,
  printRecord,
  printRows,
} from '../output.ts';
import {
  checkedKey,
  checkedUrl,
  type ProfileFile,
  profileName,
  readProfiles,
  storedUrl,
  writeProfiles,
} from '../profiles.ts';

const KEYS_PER_PAGE = 100;
/** What `whoami` shows. */
const FACTS = [
  'source',
  'workspace',
  'plan',
  'key',
  'keyId',
  'scopes',
  'expiresAt',
  'windows',
] as const;
const PROFILE_COLUMNS = ['name', 'isCurrent', 'baseUrl'];
const KEY_ID = /^psk_([0-9A-Za-z]{12})/;

/** Checks a key against the service and stores it in a profile. */
export async function login(args: Arguments, terminal: Terminal): Promise<void> {
  const { flags } = args;
  formatIn(args, terminal);
  const name = profileName(terminal.env, flags.get('profile')?.[0], 'default');
  const given = flags.get('base-url')?.[0] ?? terminal.env.PETSTORE_BASE_URL;
  const baseUrl = checkedUrl(given || storedUrl(terminal.env, name));
  const typed = checkedKey(await readSecret('API key: ', terminal));
  // At a prompt, nothing typed is a change of mind.
  const apiKey = typed ?? (terminal.stdin.isTTY ? undefined : keyInEnvironment(terminal));
  if (apiKey === undefined)
    throw new UsageError(
      'no key was given: paste it, pipe it to petstore login, or set PETSTORE_API_KEY',
    );
  const options = { apiKey, baseUrl, fetch: fetchFromService, maxRetries: 0 };
  const transport = new Transport(options);
  const store = await storeOf(new Workspaces(transport), terminal.signal);
  const file = readProfiles(terminal.env);
  const profile = { apiKey, ...(baseUrl ? { baseUrl } : {}) };
  // An assignment would not store the name __proto__.
  file.profiles = { ...file.profiles, [name]: profile };
  file.current = name;
  writeProfiles(terminal.env, file);
  const source = typed === undefined ? ' with the key of PETSTORE_API_KEY' : '';
  const place = store ? ` to ${store}` : '';
  note(`profile ${name} is logged in${place}${source}`, args, terminal);
}

function keyInEnvironment({ env }: Terminal): string | undefined {
  return checkedKey(env.PETSTORE_API_KEY);
}

/** The name of the store; undefined for a key that the service knows, but that may not read. */
async function storeOf(workspaces: Workspaces, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await workspaces.get({ signal })).name;
  } catch (err) {
    if (err instanceof PermissionError && err.code === 'insufficient_scope') return undefined;
    throw err;
  }
}

export function logout(args: Arguments, terminal: Terminal): void {
  formatIn(args, terminal);
  const file = readProfiles(terminal.env);
  const name = profileName(terminal.env, args.flags.get('profile')?.[0], file.current);
  if (name === undefined) throw new SettingsError('there is no profile to log out of');
  if (!Object.hasOwn(file.profiles, name)) throw noProfile(name, file);
  removeProfile(name, file, args, terminal);
}

/** Says which profile is gone, and which is left. */
function removeProfile(name: string, file: ProfileFile, args: Arguments, terminal: Terminal): void {
  delete file.profiles[name];
  if (file.current === name) delete file.current;
  writeProfiles(terminal.env, file);
  const left = Object.keys(file.profiles);
  const next =
    file.current !== undefined
      ? `profile ${file.current} stays in use`
      : left.length === 0
        ? 'no profile is left'
        : `left: ${left.join(', ')}; petstore profiles use ${shellWord(left[0]!)} takes one into use`;
  note(`profile ${name} is removed; its key still works until it is revoked`, args, terminal);
  note(next, args, terminal);
}

/** Which store, which key, what it may do, and what is left of its limits. */
export async function whoami(args: Arguments, terminal: Terminal): Promise<void> {
  const format = formatIn(args, terminal);
  fieldsIn(args, FACTS);
  const { transport, credentials } = connect(args, terminal);
  const options = { signal: terminal.signal };
  const workspace = await new Workspaces(transport).get(options);
  const id = KEY_ID.exec(credentials.apiKey ?? '')?.[1];
  const key = await findKey(new Keys(transport).list({ limit: KEYS_PER_PAGE }, options), id);
  const usage = await new Usages(transport).get({ days: 1 }, options);
  const facts = factsOf({ workspace, key, usage, source: credentials.source });
  if (isForPrograms(format, args)) printRecord(facts, FACTS, format, args, terminal);
  else {
    const text = Object.entries(key ? { ...facts, expiresAt: key.expiresAt ?? 'never' } : facts)
      .map(([name, value]) => `${name.padEnd(10)}  ${textOf(value)}\n`)
      .join('');
    terminal.stdout.write(text);
  }
}

/** The few lines for people have no columns. */
function isForPrograms(format: Format, { flags }: Arguments): boolean {
  return isJson(format) || format === 'csv' || flags.has('fields');
}

async function findKey(keys: AsyncIterable<Key>, id: string | undefined): Promise<Key | undefined> {
  for await (const key of keys) if (key.id === id) return key;
  return undefined;
}

function factsOf({
  workspace,
  key,
  usage,
  source,
}: {
  workspace: Workspace;
  key: Key | undefined;
  usage: Usage;
  source: string;
}) {
  return {
    source,
    workspace: workspace.name,
    plan: workspace.plan,
    key: key?.name,
    keyId: key?.id,
    scopes: key?.scopes,
    expiresAt: key?.expiresAt,
    windows: usage.windows,
  };
}

function textOf(value: unknown): string {
  if (!Array.isArray(value)) return value === undefined ? 'unknown' : String(value);
  return value
    .map((item) =>
      typeof item === 'object'
        ? `${item.remaining} of ${item.limit} a ${item.name} left`
        : String(item),
    )
    .join(', ');
}

function noProfile(name: string, { profiles: all }: ProfileFile): SettingsError {
  const names = Object.keys(all);
  const those =
    names.length > 0
      ? `the profiles are: ${names.join(', ')}`
      : 'there are none: petstore login makes one';
  return new SettingsError(`there is no profile ${name}; ${those}`);
}

export async function profiles(args: Arguments, terminal: Terminal): Promise<void> {
  const [verb = 'list', name] = args.words;
  const format = formatIn(args, terminal);
  const file = readProfiles(terminal.env);
  const names = Object.keys(file.profiles);
  if (verb === 'list') {
    const rows = names.map((each) => ({
      name: each,
      isCurrent: each === file.current,
      baseUrl: file.profiles[each]!.baseUrl,
    }));
    if (isForPrograms(format, args)) {
      printRows({ records: rows, columns: PROFILE_COLUMNS }, format, args, terminal);
      return;
    }
    const text = rows
      .map((row) => `${row.isCurrent ? '*' : ' '} ${row.name}\t${row.baseUrl ?? ''}\n`)
      .join('');
    terminal.stdout.write(text);
    return;
  }
  if ((verb !== 'use' && verb !== 'remove') || name === undefined) {
    throw new WrongWords();
  }
  if (!names.includes(name)) {
    throw noProfile(name, file);
  }
  if (verb === 'remove') {
    // The key of a profile may be stored nowhere else. A script has decided.
    const isYes = args.flags.has('yes') || !isAsked(terminal);
    await confirm(`Remove the profile ${name} and its key?`, isYes, terminal);
    removeProfile(name, file, args, terminal);
    return;
  }
  file.current = name;
  writeProfiles(terminal.env, file);
  note(`profile ${name} is in use`, args, terminal);
}
