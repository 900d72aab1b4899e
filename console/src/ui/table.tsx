import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  align?: 'start' | 'end';
  /** Left out on a narrow screen. What it shows must be reachable in another way there. */
  isWide?: boolean;
  /** Whether the heading is for screen readers only. */
  isBare?: boolean;
}

export interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  isSelected?: (row: Row) => boolean;
}

/**
 * A list of records. `j` and `k` go from row to row: the first link or button with `data-row` in each. `e` presses the
 * one with `data-edit`.
 */
export function Table<Row>({ label, columns, rows, keyOf, isSelected }: TableProps<Row>) {
  const classOf = ({ align, isWide }: Column<Row>) =>
    `${align === 'end' ? 'end' : ''}${isWide ? ' wide' : ''}`;
  return (
    <table class="table" aria-label={label}>
      <thead class={columns.every(({ isBare }) => isBare) ? 'visually-hidden' : undefined}>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              <span class={column.isBare ? 'visually-hidden' : undefined}>{column.title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            class={isSelected?.(row) ? 'selected' : undefined}
            aria-current={isSelected?.(row) || undefined}
          >
            {columns.map((column) => (
              <td key={column.title} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
