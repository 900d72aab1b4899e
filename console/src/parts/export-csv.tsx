import { useState } from 'preact/hooks';
import { errorText } from '../api/errors.ts';
import { observed } from '../api/limits.ts';
import { noteSessionEnd } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { say } from '../ui/toast.tsx';
import { commonWords as words } from '../words/common.ts';
import { csvCell, saveCsv } from './csv-file.ts';

export interface ExportProps<Row> {
  /** Without its ending. */
  fileName: string;
  columns: readonly (keyof Row & string)[];
  /** All records, page by page. Each page costs a request of the plan. */
  pages: () => AsyncIterable<{ items: readonly Row[] }>;
}

/** Writes all records of a list, not only this page, into a file. */
export function ExportCsv<Row extends object>({ fileName, columns, pages }: ExportProps<Row>) {
  const [rows, setRows] = useState<number | undefined>(undefined);
  const run = async () => {
    const lines = [columns.join(',')];
    setRows(0);
    try {
      await observed(async () => {
        for await (const { items } of pages()) {
          lines.push(...items.map((row) => columns.map((name) => csvCell(row[name])).join(',')));
          setRows(lines.length - 1);
        }
      });
      saveCsv(`${fileName}.csv`, `${lines.join('\r\n')}\r\n`);
    } catch (err) {
      noteSessionEnd(err);
      say(errorText(err), 'bad');
    } finally {
      setRows(undefined);
    }
  };
  return (
    <Button icon="download" isBusy={rows !== undefined} onClick={() => void run()}>
      {rows === undefined ? words.exportCsv : words.exporting(rows)}
    </Button>
  );
}
