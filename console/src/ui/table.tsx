import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { dateTime, past } from './format.ts';
import { Icon } from './icons/icon.tsx';

/** How a column is sorted, and the address that sorts it, or sorts it the other way round. */
export interface Sort {
  direction: 'ascending' | 'descending' | undefined;
  href: string;
}

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  align?: 'start' | 'end';
  /** Left out on a narrow screen. What it shows must be reachable in another way there. */
  isWide?: boolean;
  /** Shown on a narrow screen alone, instead of others that are left out there. */
  isNarrow?: boolean;
  /** Whether the heading is for screen readers only. */
  isBare?: boolean;
  sort?: Sort;
  /** What stands in the heading instead of the title. */
  head?: ComponentChildren;
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
 * A list of records. `j` and `k` go from row to row: the first link or button with `data-row` in each. A press anywhere
 * in the row presses that one. `e` presses the one with `data-edit`.
 */
export function Table<Row>({ label, columns, rows, keyOf, isSelected }: TableProps<Row>) {
  const classOf = ({ align, isWide, isNarrow }: Column<Row>) =>
    `${align === 'end' ? 'end' : ''}${isWide ? ' wide' : ''}${isNarrow ? ' only-narrow' : ''}`;
  return (
    <table class="table" aria-label={label}>
      <thead class={columns.every(({ isBare }) => isBare) ? 'visually-hidden' : undefined}>
        <tr>
          {columns.map((column) => (
            <th
              key={column.title}
              scope="col"
              class={classOf(column)}
              aria-sort={column.sort?.direction}
            >
              {column.head ??
                (column.sort ? (
                  <a class="sort" href={column.sort.href}>
                    {column.title}
                    <Icon name={SORT_ICONS[column.sort.direction ?? 'none']} size={14} />
                  </a>
                ) : (
                  <span class={column.isBare ? 'visually-hidden' : undefined}>{column.title}</span>
                ))}
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
            onClick={openRow}
          >
            {columns.map((column) => (
              <td key={column.title} class={classOf(column)}>
                <div class="cell">{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SORT_ICONS = {
  ascending: 'chevron-up',
  descending: 'chevron-down',
  none: 'chevrons-up-down',
} as const;

/** Presses the link of the row, unless the press was meant for something else in it, or selects text. */
function openRow(event: TargetedMouseEvent<HTMLTableRowElement>): void {
  const { target, currentTarget } = event;
  const isControl =
    (target as Element).closest('a, button, input, label, summary, dialog') !== null;
  if (isControl || getSelection()?.type === 'Range') return;
  const link = currentTarget.querySelector<HTMLElement>('[data-row]');
  // As on a link: a modifier opens the record in another tab.
  const { ctrlKey, metaKey, shiftKey } = event;
  link?.dispatchEvent(
    new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

/** A name that a person gave. It takes two lines at most; its title has all of it. */
export function Name({ children }: { children: string }) {
  return (
    <span class="name" title={children}>
      {children}
    </span>
  );
}

/** How long ago something happened. Its title has the time itself. */
export function PastTime({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {past(at, now)}
    </time>
  );
}
