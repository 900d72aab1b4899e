import { useEffect, useRef, useState } from 'preact/hooks';
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
  pages: (signal: AbortSignal) => AsyncIterable<{ items: readonly Row[] }>;
}

/** Writes all records of a list, not only this page, into a file. */
export function ExportCsv<Row extends object>({ fileName, columns, pages }: ExportProps<Row>) {
  const [rows, setRows] = useState<number | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  // A screen that was left needs no file, and each further page would cost a request.
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    const lines = [columns.join(',')];
    setRows(0);
    try {
      await observed(async () => {
        for await (const { items } of pages(signal)) {
          lines.push(...items.map((row) => columns.map((name) => csvCell(row[name])).join(',')));
          setRows(lines.length - 1);
        }
      });
      saveCsv(`${fileName}.csv`, `${lines.join('\r\n')}\r\n`);
    } catch (err) {
      if (signal.aborted) return;
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
