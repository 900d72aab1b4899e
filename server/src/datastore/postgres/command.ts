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
