import type { Arguments, Terminal } from '../command.ts';
import { fieldsIn, formatIn, printRows } from '../output.ts';

/** Writes records as they come. Lines also on a terminal: a table would need all records to know its widths. */
export function lineWriter(
  columns: readonly string[],
  args: Arguments,
  terminal: Terminal,
): (record: object) => void {
  const asked = formatIn(args, terminal);
  const lines: Partial<Record<typeof asked, typeof asked>> = { table: 'tsv', json: 'ndjson' };
  const format = lines[asked] ?? asked;
  fieldsIn(args, columns);
  let hasHead = true;
  return (record) => {
    const records = [record as Record<string, unknown>];
    printRows({ records, columns, hasHead }, format, args, terminal);
    hasHead = false;
  };
}
