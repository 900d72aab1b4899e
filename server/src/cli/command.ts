import type { Config } from '../config.ts';
import type { Datastore } from '../datastore/datastore.ts';

/** All options of all commands. A command declares which of them it takes. */
export interface Options {
  help?: boolean;
  json?: boolean;
  workspace?: string;
  name?: string;
  scopes?: string;
  'expires-at'?: string;
  'overlap-seconds'?: string;
  plan?: string;
  'per-minute'?: string;
  'per-day'?: string;
  repair?: boolean;
  from?: string;
  to?: string;
  into?: string;
  keep?: string;
  verify?: boolean;
  drill?: boolean;
  pets?: string;
  yes?: boolean;
}

export type OptionName = keyof Options;

export interface OptionDeclaration {
  /** What the help shows for its value; absent for an option without one. */
  value?: string;
  description: string;
  isRequired?: boolean;
}

/** Prints a value for machines, or lines for people. */
export type Printer = (value: unknown, lines: readonly string[]) => void;

interface Invocation {
  config: Config;
  /** The argument, if the command takes one. */
  argument: string;
  options: Options;
  print: Printer;
}

/** What a command that works on the database gets. */
export interface StoreInvocation extends Invocation {
  store: Datastore;
}

/** Returns the exit code, or undefined while the service goes on running. */
export type Run = (invocation: Invocation) => Promise<number | undefined>;

/** A command of `petstore server`. */
export interface Command {
  /** Two words, or three: `server keys create`. */
  name: string;
  /** What the help shows for its argument. A command that declares one needs it. */
  argument?: string;
  summary: string;
  options: Partial<Record<OptionName, OptionDeclaration>>;
  example: string;
  /** Whether it reads the settings by itself, because it reports invalid ones. It gets no `config` then. */
  readsSettings?: true;
  /** Imports its code, so that the help and the other commands do not load it. */
  load(): Promise<Run>;
}

/** The command line is not valid. The message says what to write instead. */
export class UsageError extends Error {
  /** The command, or the group, whose help says more. */
  command = 'server ';
}

/** `1 pet`, `2 pets`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
