// The `petstore` command line. Every command works on the configured database, beside a running service.

import { backupStore, openExistingStore, openStore } from '../app.ts';
import { type Config, InvalidConfig, readConfig } from '../config.ts';
import { StorageUnavailable, UnusableDatabase } from '../datastore/failures.ts';
import { Refusal } from '../domain/errors.ts';
import { bansCommand } from './bans.ts';
import {
  type Command,
  type Options,
  type Printer,
  parseCommandLine,
  UsageError,
} from './command.ts';
import { copyCommand } from './copy.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { reconcileCommand } from './reconcile.ts';
import { serve } from './serve.ts';
import { workspacesCommand } from './workspaces.ts';

export const HELP = `petstore <command>

  serve                         serve until stopped
  migrate                       bring the database up to date and exit
  keys list                     the keys of a workspace
  keys create --name NAME       create a key (--scopes read,write  --expires-at TIME)
  keys revoke KEY_ID            revoke a key
  workspaces list               all workspaces
  workspaces create --name NAME create one, with its first key (--plan PLAN)
  workspaces update ID          change it (--name NAME  --plan PLAN)
  bans list                     the keys that are banned
  bans lift KEY_ID              let a key in again
  reconcile                     prove that orders and ledger add up to the counts (--repair)
  backup --to FILE              copy the database into a new file, while it is served
  import FILE                   create the pets of a .csv or .ndjson file (--dry-run)
  copy --from A --to B          move a store: each is a data folder or a postgres:// URL

  --workspace ID                the workspace of the keys (default 1)
  --per-minute N --per-day N    the limits of plan enterprise
  --json                        print JSON for machines
  --help                        this text

Everything else is set by environment: see docs/running.md.
`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_CONFIG = 78;

/** Commands that work on an open database. A number that they return is the exit code. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands have no exit code of their own.
const commands: Record<string, (command: Command) => Promise<number | void>> = {
  keys: keysCommand,
  workspaces: workspacesCommand,
  bans: bansCommand,
  reconcile: reconcileCommand,
  import: importCommand,
};

/** Returns the exit code, or undefined while the service goes on running. */
export async function runCommand(args: string[]): Promise<number | undefined> {
  try {
    const { values: options, positionals } = parseCommandLine(args);
    const [name = 'serve', ...words] = positionals;
    if (options.help || name === 'help') {
      process.stdout.write(HELP);
      return 0;
    }
    const config = readConfig(process.env);
    if (name === 'serve') {
      await serve(config);
      return undefined;
    }
    const print: Printer = (value, lines) => {
      process.stdout.write(options.json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
    };
    if (name === 'copy') return await copyCommand(options, print);
    if (name === 'backup') return backup(config, options, print);
    return await runOnStore(name, words, options, config, print);
  } catch (err) {
    return explain(err);
  }
}

async function runOnStore(
  name: string,
  words: string[],
  options: Options,
  config: Config,
  print: Printer,
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command && name !== 'migrate') throw new UsageError(`there is no command ${name}`);
  const { store, applied } = await (command ? openExistingStore(config) : openStore(config));
  try {
    if (command) return (await command({ config, store, words, options, print })) ?? 0;
    print({ applied }, applied.length > 0 ? applied : ['the database is up to date']);
    return 0;
  } finally {
    await store.close();
  }
}

function backup(config: Config, options: Options, print: Printer): number {
  if (!options.to) throw new UsageError('backup needs --to FILE');
  process.stderr.write('petstore: copying the database …\n');
  backupStore(config, options.to);
  print({ file: options.to }, [`the copy is complete: ${options.to}`]);
  return 0;
}

function explain(err: unknown): number {
  const say = (text: string) =>
    process.stderr.write(`petstore: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n`);
  if (err instanceof InvalidConfig) {
    for (const fault of err.faults) say(fault);
    return EXIT_CONFIG;
  }
  if (err instanceof UsageError || isParseError(err)) {
    say(`${(err as Error).message} (petstore --help)`);
    return EXIT_USAGE;
  }
  if (
    err instanceof Refusal ||
    err instanceof UnusableDatabase ||
    err instanceof StorageUnavailable
  ) {
    say(err.message);
    return EXIT_FAILED;
  }
  if (err instanceof Error && 'code' in err && err.code === 'EADDRINUSE') {
    say(`${err.message}: stop what listens there, or set PETSTORE_PORT`);
    return EXIT_FAILED;
  }
  // The operating system refused: a folder cannot be made, an address is not one of this machine.
  if (err instanceof Error && 'syscall' in err) {
    say(err.message);
    return EXIT_FAILED;
  }
  throw err;
}

function isParseError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('ERR_PARSE_ARGS');
}
