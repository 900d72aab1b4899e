// Finds the programs of PostgreSQL and Redis, or installs them where apt-get can.

import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstall, installPackages } from '../../../scripts/test-support/install-packages.ts';

export interface ServerPrograms {
  initdb: string;
  postgres: string;
  redis: string;
}

const candidates: Record<keyof ServerPrograms, readonly string[]> = {
  initdb: ['initdb'],
  postgres: ['postgres'],
  redis: ['redis-server', 'valkey-server'],
};
const FOLDERS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
];
const PACKAGES = ['postgresql', 'redis-server'];

export function findServerPrograms(): ServerPrograms {
  const found = lookAround();
  if (missingFrom(found).length === 0) return found as ServerPrograms;
  if (!canInstall()) throw new Error(instructions(missingFrom(found)));
  installPackages(PACKAGES);
  const installed = lookAround();
  if (missingFrom(installed).length > 0) throw new Error(instructions(missingFrom(installed)));
  return installed as ServerPrograms;
}

function lookAround(): Partial<ServerPrograms> {
  // Of several installed versions, the newest.
  const known = FOLDERS.flatMap((pattern) => globSync(pattern).sort(byVersion).reverse());
  const { TEST_POSTGRES_BIN: chosen, PATH = '' } = process.env;
  const folders = [...(chosen ? [chosen] : []), ...known, ...PATH.split(delimiter)];
  const find = (names: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
  const found = Object.entries(candidates).map(([program, names]) => [program, find(names)]);
  return Object.fromEntries(found) as Partial<ServerPrograms>;
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function missingFrom(found: Partial<ServerPrograms>): string[] {
  return Object.entries(candidates)
    .filter(([program]) => !found[program as keyof ServerPrograms])
    .map(([, names]) => names.join(' or '));
}

function instructions(missing: readonly string[]): string {
  return [
    `The tests run against real servers, and this machine lacks: ${missing.join(', ')}.`,
    'Install PostgreSQL 14 or newer and Redis 7 or Valkey 8, so that these programs are on the PATH:',
    `  Debian, Ubuntu:  sudo apt-get install ${PACKAGES.join(' ')}`,
    '  Fedora:          sudo dnf install postgresql-server valkey',
    '  macOS:           brew install postgresql redis',
    'They need not run: the tests start their own servers on free ports, and stop them again.',
  ].join('\n');
}
