import type { Row, Value } from '../runner.ts';

export interface Command {
  readonly text: string;
  readonly values: readonly Value[];
}

/** What a command gave. */
export interface Outcome {
  rows: Row[];
  /** The server's word for what was done, such as `UPDATE 1` or `COMMIT`. */
  tag: string;
}

export function control(text: string): Command {
  return { text, values: [] };
}

export const BEGIN = control('BEGIN ISOLATION LEVEL READ COMMITTED');
export const COMMIT = control('COMMIT');
export const ROLLBACK = control('ROLLBACK');

/** The server answers the commit of a transaction that had failed with another word, and without an error. */
export function checkCommitted({ tag }: Outcome): void {
  if (tag !== COMMIT.text) throw new Error(`a commit was answered with ${tag}`);
}
