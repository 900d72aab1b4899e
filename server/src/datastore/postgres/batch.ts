// Several commands in one round trip, as a query object that pg's client runs like its own cursors. Each text is parsed
// once per connection under a name of its own; after that it is only bound and executed. One Sync ends the batch, so the
// server skips what follows a failed command. docs/adr/0010-batches-of-our-own.md says why pg's pipeline mode is not used.

import { hash } from 'node:crypto';
import type { Connection } from 'pg';
import { serialize } from 'pg-protocol';
import type { Row } from '../runner.ts';
import type { Command, Outcome } from './command.ts';
import { type Parser, parserOf, UnreadableValue, wireValue } from './values.ts';

/** The statements that a connection has parsed, each with the parsers of its columns. */
export type PreparedStatements = Map<string, readonly Parser[]>;
export type OnDone = (at: number, outcome: Outcome) => void;

interface Step {
  name: string;
  command: Command;
  parsers: readonly Parser[] | undefined;
}

interface BatchOptions {
  prepared: PreparedStatements;
  /** Called for each command when it is done, also when one behind it fails. */
  onDone: OnDone;
  onEnd: (err?: unknown) => void;
}

const NAMES_MAX = 2_000;

/** The method names are those that pg's client calls. */
export class Batch {
  readonly #options: BatchOptions;
  readonly #steps: Step[];
  #rows: Row[] = [];
  #at = 0;
  #unreadable: UnreadableValue | undefined;

  constructor(commands: readonly Command[], options: BatchOptions) {
    this.#options = options;
    this.#steps = commands.map((command) => {
      const name = nameOf(command.text);
      return { name, command, parsers: options.prepared.get(name) };
    });
  }

  submit(connection: Connection): void {
    const pieces: Buffer[] = [];
    for (const { name, command, parsers } of this.#steps) {
      if (!parsers) {
        // After a failed batch the name may be taken; closing a free name is no error.
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
      this.#unreadable = new UnreadableValue(err);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (!this.#unreadable) this.#options.onDone(this.#at, { rows: this.#rows, tag: text });
    this.#rows = [];
    this.#at += 1;
  }

  handleReadyForQuery(): void {
    const { prepared, onEnd } = this.#options;
    for (const { name, parsers } of this.#steps) prepared.set(name, parsers ?? []);
    onEnd(this.#unreadable);
  }

  handleError(err: unknown): void {
    this.#options.onEnd(err);
  }
}

const names = new Map<string, string>();

/** A digest of the text, so that a text always has the same name. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  if (names.size >= NAMES_MAX) names.clear();
  const name = hash('sha256', text, 'base64url').slice(0, 22);
  names.set(text, name);
  return name;
}
