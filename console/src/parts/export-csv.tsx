import type { Page } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isPaused } from '../api/limits.ts';
import { noteSessionEnd } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { controlWords as words } from '../words/controls.ts';
import { csvCell, saveCsv } from './csv-file.ts';
import { patiently } from './patiently.ts';
import { sayError } from './say-error.ts';

export interface ExportProps<Row> {
  /** Without its ending. */
  fileName: string;
  columns: readonly (keyof Row & string)[];
  /** The first page of all records. Each page costs a request of the plan. */
  list: (signal: AbortSignal) => PromiseLike<Page<Row>>;
}

/** Writes all records of a list, not only this page, into a file. */
export function ExportCsv<Row extends object>({ fileName, columns, list }: ExportProps<Row>) {
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
      let page: Page<Row> | undefined = await patiently(() => list(signal));
      while (page) {
        lines.push(...page.items.map((row) => columns.map((name) => csvCell(row[name])).join(',')));
        setRows(lines.length - 1);
        page = await patiently(page.next);
      }
      saveCsv(`${fileName}.csv`, `${lines.join('\r\n')}\r\n`);
    } catch (err) {
      if (signal.aborted) return;
      noteSessionEnd(err);
      sayError(err);
    } finally {
      setRows(undefined);
    }
  };
  return (
    <Button icon="download" isBusy={rows !== undefined} onClick={() => void run()}>
      {rows === undefined ? words.exportCsv : words.exporting(rows, isPaused.value)}
    </Button>
  );
}
