// Several commands in one round trip, as a query object that pg's client runs like its own cursors. Each text is parsed
// once per connection under a name of its own; after that it is only bound and executed. One Sync ends the batch, so the
// server skips what follows a failed command. docs/adr/0010-batches-of-our-own.md says why pg's pipeline mode is not used.

import { hash } from 'node:crypto';
import type { Connection } from 'pg';
import { serialize } from 'pg-protocol';
import type { Row, Value } from '../runner.ts';

export interface Command {
  readonly text: string;
  readonly values: readonly Value[];
}

export interface CommandResult {
  rows: Row[];
  /** The server's command tag, such as `UPDATE 1` or `COMMIT`. */
  tag: string;
}

export function control(text: string): Command {
  return { text, values: [] };
}

export const BEGIN = control('BEGIN ISOLATION LEVEL READ COMMITTED');
// Not READ ONLY: `localSettings` tells a server in recovery by that. A snapshot has readers alone.
export const BEGIN_SNAPSHOT = control('BEGIN ISOLATION LEVEL REPEATABLE READ');
export const COMMIT = control('COMMIT');
export const ROLLBACK = control('ROLLBACK');

/** A COMMIT of a transaction that had failed succeeds with the tag ROLLBACK. */
export function checkCommitted({ tag }: CommandResult): void {
  if (tag !== COMMIT.text) throw new Error(`COMMIT was answered with ${tag}`);
}

/** The last word of the tag is a number of rows, as in `INSERT 0 1` and `UPDATE 3`. */
export function touchedRows({ tag }: CommandResult): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1));
}

type Parser = (text: string) => unknown;

/** A text and its name on a connection. `parsers` reads its columns; it is absent until the server has the statement. */
interface PreparedStatement {
  readonly name: string;
  parsers?: readonly Parser[];
}

/** The statements of a connection by their text. */
export type PreparedStatements = Map<string, PreparedStatement>;
export type OnDone = (at: number, result: CommandResult) => void;

interface BatchOptions {
  prepared: PreparedStatements;
  /** False where the next transaction may run on another server connection: statements are then parsed each time. */
  isNamed: boolean;
  /** Called for each command when it is done, also when one behind it fails. */
  onDone: OnDone;
  onEnd: (err?: unknown) => void;
}

/** The method names are those that pg's client calls. */
export class CommandBatch {
  readonly #commands: readonly Command[];
  readonly #statements: PreparedStatement[];
  readonly #options: BatchOptions;
  #rows: Row[] = [];
  #at = 0;
  #unreadable: UnreadableValue | undefined;

  constructor(commands: readonly Command[], options: BatchOptions) {
    this.#commands = commands;
    this.#options = options;
    this.#statements = commands.map(({ text }) => statementOf(text, options.prepared));
  }

  submit(connection: Connection): void {
    const pieces: Buffer[] = [];
    const parsed = new Set<PreparedStatement>();
    for (const [at, { text, values }] of this.#commands.entries()) {
      const statement = this.#statements[at]!;
      const name = this.#options.isNamed ? statement.name : '';
      const isNew = !statement.parsers && !parsed.has(statement);
      if (isNew) {
        parsed.add(statement);
        // After a failed batch the name may be taken; closing a free name is no error.
        pieces.push(serialize.close({ type: 'S', name }));
      }
      if (isNew || name === '') pieces.push(serialize.parse({ name, text, types: [] }));
      if (isNew) pieces.push(serialize.describe({ type: 'S', name }));
      const bound = values.map(wireValue) as string[];
      pieces.push(serialize.bind({ portal: '', statement: name, values: bound }));
      pieces.push(serialize.execute({ portal: '' }));
    }
    pieces.push(serialize.sync());
    connection.stream.write(Buffer.concat(pieces));
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    this.#statements[this.#at]!.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#unreadable) return;
    const parsers = this.#statements[this.#at]!.parsers!;
    try {
      this.#rows.push(fields.map((text, at) => text && parsers[at]!(text)));
    } catch (err) {
      this.#unreadable = new UnreadableValue(err);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (!this.#unreadable) this.#options.onDone(this.#at, { rows: this.#rows, tag: text });
    this.#rows = [];
    // A statement that returns no rows has no description.
    this.#statements[this.#at]!.parsers ??= [];
    this.#at += 1;
  }

  handleReadyForQuery(): void {
    this.#options.onEnd(this.#unreadable);
  }

  handleError(err: unknown): void {
    this.#options.onEnd(err);
  }
}

function statementOf(text: string, prepared: PreparedStatements): PreparedStatement {
  const known = prepared.get(text);
  if (known) return known;
  // A digest, so that a pooler which mixes up connections runs into an error and never into another statement.
  const statement = { name: hash('sha256', text, 'base64url').slice(0, 22) };
  prepared.set(text, statement);
  return statement;
}

/** The command succeeded with a value that this program cannot represent. */
export class UnreadableValue extends Error {
  constructor(cause: unknown) {
    super('unreadable value', { cause });
  }
}

function wireValue(value: Value): string | null {
  return typeof value === 'number' ? String(value) : value;
}

/** Numbers as numbers, booleans as 1 and 0, as SQLite returns them; all else as text. */
function parserOf(typeId: number): Parser {
  switch (typeId) {
    case 20: // int8
    case 21: // int2
    case 23: // int4
    case 1700: // numeric, the type of a sum of int8
      return safeInteger;
    case 16: // bool
      return (text) => (text === 't' ? 1 : 0);
    case 701: // float8
      return Number;
    default:
      return (text) => text;
  }
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}
