// One connection of the pool. Commands travel in batches: each is parsed once under a name of its own, then
// only bound and executed, and a whole batch costs one round trip. The server leaves out what follows a
// failed command of the same batch, so BEGIN may travel with the statement that needs it: there is no moment in
// which that statement could run without its transaction.

import { hash, randomBytes } from 'node:crypto';
import type { Connection, PoolClient } from 'pg';
import { serialize } from 'pg-protocol';
import type { Row, Value } from '../runner.ts';
import { type Command, type Outcome, ROLLBACK } from './command.ts';
import type { Mark } from './commit-markers.ts';
import { ConnectionLost, failureOf } from './failures.ts';

/** A connection that has prepared this many statements is replaced, so that filters cannot fill a server. */
const PREPARED_MAX = 250;
const NAMES_MAX = 2_000;

export class PostgresConnection {
  isLost = false;
  /** The units of the last commit on this connection that succeeded, whose marks are no longer needed. */
  settled: readonly number[] = [];
  readonly #name = randomBytes(12).toString('base64url');
  #unit = 0;
  readonly #client: PoolClient;
  readonly #prepared = new Map<string, readonly Parser[]>();

  constructor(client: PoolClient) {
    this.#client = client;
  }

  get isWornOut(): boolean {
    return this.isLost || this.#prepared.size >= PREPARED_MAX;
  }

  /** Tells a commit apart from all others, of this connection and of any. */
  nextMark(): Mark {
    this.#unit += 1;
    return { connection: this.#name, unit: this.#unit };
  }

  /** What the last of the commands gave. */
  async send(commands: readonly Command[]): Promise<Outcome> {
    let last: Outcome | undefined;
    await this.sendAll(commands, (_, outcome) => {
      last = outcome;
    });
    return last!;
  }

  /** Tells of each command when it is done, also when one behind it fails. */
  async sendAll(commands: readonly Command[], onDone: OnDone): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#client.query(new Batch(commands, this.#prepared, onDone, resolve, reject));
      });
    } catch (err) {
      if (err instanceof UnreadableAnswer) throw err.cause;
      const failure = failureOf(err);
      if (failure instanceof ConnectionLost) this.isLost = true;
      throw failure;
    }
  }

  /** Ends a transaction that failed. A connection on which not even that succeeds is not used again. */
  async rollBack(): Promise<void> {
    if (this.isLost) return;
    try {
      await this.send([ROLLBACK]);
    } catch {
      this.isLost = true;
    }
  }
}

type OnDone = (at: number, outcome: Outcome) => void;
type Parser = (text: string) => unknown;

interface Step {
  name: string;
  command: Command;
  parsers: readonly Parser[] | undefined;
}

/** What pg's client hands over to the query that is running, as its own cursors receive it too. */
class Batch {
  readonly #steps: Step[];
  readonly #prepared: Map<string, readonly Parser[]>;
  readonly #onDone: OnDone;
  readonly #resolve: () => void;
  readonly #reject: (err: unknown) => void;
  #rows: Row[] = [];
  #at = 0;
  #unreadable: UnreadableAnswer | undefined;

  constructor(
    commands: readonly Command[],
    prepared: Map<string, readonly Parser[]>,
    onDone: OnDone,
    resolve: () => void,
    reject: (err: unknown) => void,
  ) {
    this.#prepared = prepared;
    this.#onDone = onDone;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#steps = commands.map((command) => {
      const name = nameOf(command.text);
      return { name, command, parsers: prepared.get(name) };
    });
  }

  submit(connection: Connection): void {
    const pieces: Buffer[] = [];
    for (const { name, command, parsers } of this.#steps) {
      if (!parsers) {
        // Whether the name is taken is unknown after a batch that failed; closing a free one is no error.
        pieces.push(serialize.close({ type: 'S', name }));
        pieces.push(serialize.parse({ name, text: command.text, types: [] }));
        pieces.push(serialize.describe({ type: 'S', name }));
      }
      const values = command.values.map(wireValue) as string[];
      pieces.push(serialize.bind({ portal: '', statement: name, values }));
      pieces.push(serialize.execute({ portal: '' }));
    }
    pieces.push(serialize.sync());
    connection.stream.write(Buffer.concat(pieces));
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    this.#steps[this.#at]!.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#unreadable) return;
    const parsers = this.#steps[this.#at]!.parsers!;
    try {
      this.#rows.push(fields.map((text, at) => text && parsers[at]!(text)));
    } catch (err) {
      this.#unreadable = new UnreadableAnswer(err);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (!this.#unreadable) this.#onDone(this.#at, { rows: this.#rows, tag: text });
    this.#rows = [];
    this.#at += 1;
  }

  handleReadyForQuery(): void {
    for (const { name, parsers } of this.#steps) this.#prepared.set(name, parsers ?? []);
    if (this.#unreadable) this.#reject(this.#unreadable);
    else this.#resolve();
  }

  handleError(err: unknown): void {
    this.#reject(err);
  }
}

/** The server answered well, with a value that this program cannot hold. */
class UnreadableAnswer extends Error {
  constructor(cause: unknown) {
    super('unreadable answer', { cause });
  }
}

const names = new Map<string, string>();

/** A print of the text, so that a text has the same name whenever it is prepared. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  if (names.size >= NAMES_MAX) names.clear();
  const name = hash('sha256', text, 'base64url').slice(0, 22);
  names.set(text, name);
  return name;
}

function wireValue(value: Value): string | null {
  return typeof value === 'number' ? String(value) : value;
}

/** Numbers, and truth as 1 and 0, as SQLite gives them; all else as text. */
function parserOf(typeId: number): Parser {
  switch (typeId) {
    case 20: // int8
    case 21: // int2
    case 23: // int4
    case 1700: // numeric, which is what a sum of int8 is
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
