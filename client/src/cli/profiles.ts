// Profiles: which store, with which key. They are stored in a file that only its owner may read.

import { execSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { reasonIn } from './ask.ts';
import { InvalidKeyError, profileOption, SettingsError } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Profile {
  baseUrl?: string;
  apiKey?: string;
  /** A command that prints the key, in place of the key itself. */
  apiKeyCommand?: string;
}

export interface ProfileFile {
  current?: string;
  profiles: Record<string, Profile>;
}

/** Where requests go, and by what that was decided. */
export interface Credentials {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  source: string;
}

const OTHERS = 0o077;

function profilePath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'petstore', 'config.json');
}

export function readProfiles(env: Environment): ProfileFile {
  const path = profilePath(env);
  if (!existsSync(path)) return { profiles: {} };
  const { mode } = statSync(path);
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    throw new SettingsError(`others can read ${path}: run chmod 600 ${path}`);
  }
  const file = profileFileOf(textOf(path));
  if (file) return file;
  throw new SettingsError(
    `${path} is not a valid file of profiles: correct it, or delete it and log in again`,
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (err) {
    throw new SettingsError(`${path} cannot be read: ${reasonIn(err)}`);
  }
}

function profileFileOf(text: string): ProfileFile | undefined {
  try {
    // Editors on Windows begin a file with a byte order mark.
    const file = JSON.parse(text.replace(/^\uFEFF/, '')) as Partial<ProfileFile>;
    const { current, profiles = {} } = file;
    const isValid =
      isRecord(file) &&
      isRecord(profiles) &&
      Object.values(profiles).every((profile) => isRecord(profile) && areTexts(profile)) &&
      areTexts({ current: current ?? '' });
    return isValid ? { ...(current === undefined ? {} : { current }), profiles } : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function areTexts(record: object): boolean {
  return Object.values(record).every((value) => typeof value === 'string');
}

/** Replaces the file as a whole, so that a crash never leaves half of one. */
export function writeProfiles(env: Environment, file: ProfileFile): void {
  const path = profilePath(env);
  const partial = `${path}.${process.pid}`;
  try {
    makeFolder(dirname(path));
    writeFileSync(partial, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    chmodSync(partial, 0o600);
    renameSync(partial, path);
  } catch (err) {
    // On a full disk it may hold a part of the keys.
    if (existsSync(partial)) rmSync(partial);
    throw new SettingsError(`${path} cannot be written: ${reasonIn(err)}`);
  }
}

/**
 * Creates a folder, and those that it is in, for their owner only. Node's `recursive` would try for ever where none can be
 * created, as in /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (err) {
    // Another login may have created it meanwhile.
    if (!existsSync(folder)) throw err;
  }
}

/** The profile that is meant: the one that was named, else `PETSTORE_PROFILE`, else the other. */
export function profileName<Other>(
  env: Environment,
  named: string | undefined,
  other: Other,
): string | Other {
  return named ?? (env.PETSTORE_PROFILE || other);
}

/** The base URL of a profile, if there is such a profile and it has one. */
export function storedUrl(env: Environment, name: string): string | undefined {
  const { profiles } = readProfiles(env);
  return Object.hasOwn(profiles, name) ? profiles[name]!.baseUrl : undefined;
}

/** The environment overrides any profile, and a named profile overrides the current one. */
export function credentialsOf(env: Environment, named: string | undefined): Credentials {
  const { PETSTORE_API_KEY, PETSTORE_BASE_URL: baseUrl } = env;
  const apiKey = checkedKey(PETSTORE_API_KEY);
  if (apiKey) return { apiKey, baseUrl: checkedUrl(baseUrl), source: 'PETSTORE_API_KEY' };
  const file = readProfiles(env);
  const chosen = profileName(env, named, file.current);
  if (chosen === undefined) {
    return { apiKey: undefined, baseUrl: checkedUrl(baseUrl), source: 'no profile' };
  }
  const profile = Object.hasOwn(file.profiles, chosen) ? file.profiles[chosen] : undefined;
  if (!profile)
    throw new SettingsError(
      `there is no profile ${chosen}: run petstore login${profileOption(chosen)}`,
    );
  const url = checkedUrl(baseUrl || profile.baseUrl);
  return {
    apiKey: checkedKey(profile.apiKeyCommand ? keyFrom(profile.apiKeyCommand) : profile.apiKey),
    baseUrl: url,
    source: `profile ${chosen}`,
  };
}

/** The key without the white space around it, if one is set. Throws if no header can carry it. */
export function checkedKey(apiKey: string | undefined): string | undefined {
  const key = apiKey?.trim();
  // The error of fetch would show the key.
  if (key && /[^!-~]/.test(key)) throw new InvalidKeyError();
  return key || undefined;
}

/** The base URL, if one is set. Throws unless requests can be sent to it. */
export function checkedUrl(baseUrl: string | undefined): string | undefined {
  if (!baseUrl) return undefined;
  // The URL is not shown: it may hold a password.
  if (/[@?#]/.test(baseUrl)) {
    throw new SettingsError(
      'the base URL must not have a user, a password, a query or a fragment (@, ? or #): it is like http://127.0.0.1:8080/v1',
    );
  }
  if (URL.canParse(baseUrl) && /^https?:/i.test(baseUrl)) return baseUrl;
  throw new SettingsError(
    `the base URL ${baseUrl} is not valid: it is like http://127.0.0.1:8080/v1`,
  );
}

function keyFrom(command: string): string {
  const key = outputOf(command).trim();
  if (key === '') throw new SettingsError('apiKeyCommand printed nothing: run it by hand');
  return key;
}

function outputOf(command: string): string {
  try {
    return execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch {
    throw new SettingsError('apiKeyCommand failed: run it by hand to see why');
  }
}
