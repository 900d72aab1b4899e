import { number } from '../../../ui/format.ts';
import { type Column, Name, Table } from '../../../ui/table.tsx';
import { importWords as words } from '../../../words/catalogue.ts';
import type { PetRow } from './pet-rows.ts';

interface RowsTableProps {
  label: string;
  rows: readonly PetRow[];
  isWithProblems: boolean;
}

/** Rows of the file as they were read. */
export function RowsTable({ label, rows, isWithProblems }: RowsTableProps) {
  const missing = <span class="muted">{words.missing}</span>;
  const columns: Column<PetRow>[] = [
    { title: words.columns.line, align: 'end', cell: ({ line }) => number(line) },
    { title: words.columns.name, cell: ({ name }) => (name ? <Name>{name}</Name> : missing) },
    {
      title: words.columns.category,
      isWide: true,
      cell: ({ category }) => (category ? <Name>{category}</Name> : missing),
    },
  ];
  if (isWithProblems) {
    columns.push({
      title: words.columns.why,
      cell: ({ problem }) => problem !== undefined && <span class="text-bad">{problem}</span>,
    });
  } else {
    columns.push({ title: words.columns.status, isWide: true, cell: ({ status }) => status });
  }
  return (
    <div class="stack tight">
      <p class="hint">{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list can be scrolled by keyboard. */}
      <section class="card flush import-rows" aria-label={label} tabIndex={0}>
        <Table label={label} columns={columns} rows={rows} keyOf={({ line }) => line} />
      </section>
    </div>
  );
}
