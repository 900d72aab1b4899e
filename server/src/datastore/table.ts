import type { Row, Value } from './runner.ts';

/** How a column is stored: as it is, NULL where the record lacks the field, 1 and 0 for true and false, or as JSON text. */
interface Column {
  name: string;
  kind: 'plain' | 'optional' | 'flag' | 'json';
}

export const plain = (name: string): Column => ({ name, kind: 'plain' });
export const optional = (name: string): Column => ({ name, kind: 'optional' });
export const flag = (name: string): Column => ({ name, kind: 'flag' });

/** NULL where the record lacks the field. */
export const json = (name: string): Column => ({ name, kind: 'json' });

/** A field as a column of the kind `json` has it. */
export function jsonText(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

type Fields<T> = { readonly [Name in keyof Required<T>]: Column };

/** The one description of a table: the columns of a record, those that no record shows, and its key. */
export class Table<T extends object = object> {
  readonly name: string;
  readonly key: readonly string[];
  /** The columns of the record, in the order of its fields. */
  readonly columns: readonly string[];
  /** Whether the database numbers its rows. */
  readonly isNumbered: boolean;
  /** Every column, those of the key first. */
  readonly allColumns: readonly string[];
  readonly #fields: readonly (readonly [string, Column])[];

  constructor(
    name: string,
    {
      key,
      fields,
      hidden = [],
      isNumbered = key.join() === 'workspace_id,id',
    }: {
      key: readonly string[];
      fields: Fields<T>;
      hidden?: readonly string[];
      isNumbered?: boolean;
    },
  ) {
    this.name = name;
    this.key = key;
    this.isNumbered = isNumbered;
    this.#fields = Object.entries<Column>(fields);
    this.columns = this.#fields.map(([, column]) => column.name);
    this.allColumns = [...new Set([...key, ...this.columns, ...hidden])];
  }

  /** A row begins with the columns of the record. */
  recordOf(row: Row): T {
    const record: Record<string, unknown> = {};
    for (let at = 0; at < this.#fields.length; at++) {
      const [field, { kind }] = this.#fields[at]!;
      const value = row[at];
      if (kind === 'flag') record[field] = value === 1;
      else if (kind === 'json' && value !== null) record[field] = JSON.parse(value as string);
      else if (value !== null || kind === 'plain') record[field] = value;
    }
    return record as T;
  }

  /** The values of a record, in the order of its columns. */
  valuesOf(record: T): Value[] {
    return this.#fields.map(([field, { kind }]) => {
      const value = (record as Record<string, unknown>)[field];
      if (kind === 'json') return jsonText(value as object | undefined);
      return kind === 'flag' ? Number(value) : ((value ?? null) as Value);
    });
  }
}

/**
 * A CTE `owners` with the workspaces that have rows in a table, those after $1 and at most $2. It goes from one to the next
 * by the key of the table, so the rows between are not read.
 */
export function ownersOf(table: string): string {
  return `WITH RECURSIVE steps (id, place) AS (
     SELECT min(workspace_id), 1 FROM ${table} WHERE workspace_id > $1
     UNION ALL
     SELECT (SELECT min(workspace_id) FROM ${table} WHERE workspace_id > steps.id), place + 1
     FROM steps WHERE steps.id IS NOT NULL AND place < $2
   ), owners AS (SELECT id FROM steps WHERE id IS NOT NULL)`;
}
