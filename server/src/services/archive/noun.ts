import type { Row, Value } from '../../datastore/runner.ts';
import type { Table } from '../../datastore/table.ts';
import { BrokenArchive } from '../../lib/tar.ts';
import type { Field, Target } from './fields.ts';

/** An owner does not learn who the operators are. */
export type Audience = 'owner' | 'operator';

export type Line = Readonly<Record<string, unknown>>;

/** A kind of records: the files of an archive with this name, and the rows of a table. */
export interface Noun {
  name: string;
  table: Table;
  /** The JSON of a row, which has all columns of the table. */
  lineOf(row: Row, audience: Audience): string;
  /**
   * The row of a line; undefined for a record that stays behind. Throws BrokenArchive for what `lineOf` does not write.
   * Absent for records that stay behind all.
   */
  rowOf?(line: Line, target: Target): Row | undefined;
  /** The table of these rows, if it is another. */
  into?: Table;
}

type Values = Readonly<Record<string, Value>>;

interface RecordOptions {
  /** What a line shows besides the fields. It follows from them, so it is not read. */
  shown?: (line: Line) => Line;
  /** The columns that no field has. */
  hidden?: (line: Line, target: Target, values: Values) => Values;
  /** Records stay behind all: none of them is read. */
  staysBehind?: true;
}

/** A noun whose fields are columns. */
export function recordNoun(
  name: string,
  table: Table,
  fields: Readonly<Record<string, Field>>,
  { shown, hidden, staysBehind }: RecordOptions = {},
): Noun {
  const known = Object.entries(fields).map(([name, field]) => {
    const column = field.column ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { name, field, column, at: table.allColumns.indexOf(column) };
  });
  const lost = known.find(({ at }) => at === -1);
  if (lost) throw new Error(`${table.name} has no column ${lost.column}`);
  const lineOf = (row: Row) => {
    const line: Record<string, unknown> = {};
    for (const { name, field, at } of known) {
      if (row[at] !== null) line[name] = field.write(row[at] as Value);
    }
    return JSON.stringify(shown ? { ...line, ...shown(line) } : line);
  };
  if (staysBehind) return { name, table, lineOf };
  const rowOf = (line: Line, target: Target) => {
    const values: Record<string, Value> = { workspace_id: target.workspaceId };
    for (const { name, field, column } of known)
      values[column] = readField(line, name, field, target);
    Object.assign(values, hidden?.(line, target, values));
    return table.allColumns.map((column) => values[column] ?? null);
  };
  return { name, table, lineOf, rowOf };
}

function readField(line: Line, name: string, field: Field, target: Target): Value {
  const value = line[name];
  if (value === undefined && field.isOptional) return null;
  try {
    return field.read(value, target);
  } catch (err) {
    if (err instanceof BrokenArchive) throw new BrokenArchive(`${name} ${err.message}`);
    throw err;
  }
}
