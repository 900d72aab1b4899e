// Profiles: which store, with which key. They stand in a file that only its owner may read.

import { execSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SettingsError } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Profile {
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

export function profilePath(env: Environment): string {
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
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as ProfileFile;
    return { ...file, profiles: file.profiles ?? {} };
  } catch {
    throw new SettingsError(`${path} is not valid JSON: correct it, or delete it and log in again`);
  }
}

/** Replaces the file as a whole, so that a crash never leaves half of one. */
export function writeProfiles(env: Environment, file: ProfileFile): void {
  const path = profilePath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, path);
}

/** The environment goes before a profile, and a named profile before the current one. */
export function credentialsOf(env: Environment, named: string | undefined): Credentials {
  const name = named ?? env.PETSTORE_PROFILE;
  const { PETSTORE_API_KEY: apiKey, PETSTORE_BASE_URL: baseUrl } = env;
  if (apiKey && named === undefined) {
    return { apiKey, baseUrl: baseUrl || undefined, source: 'PETSTORE_API_KEY' };
  }
  const file = readProfiles(env);
  const chosen = name ?? file.current;
  if (chosen === undefined) {
    return { apiKey: undefined, baseUrl: baseUrl || undefined, source: 'no profile' };
  }
  const profile = file.profiles[chosen];
  if (!profile)
    throw new SettingsError(
      `there is no profile ${chosen}: run petstore login --profile ${chosen}`,
    );
  return {
    apiKey: profile.apiKeyCommand ? keyFrom(profile.apiKeyCommand) : profile.apiKey,
    baseUrl: baseUrl || profile.baseUrl,
    source: `profile ${chosen}`,
  };
}

function keyFrom(command: string): string {
  try {
    return execSync(command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  } catch {
    throw new SettingsError('apiKeyCommand failed: run it by hand to see why');
  }
}
