import type { Page } from '@petstore/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isPaused, minuteWindow } from '../api/limits.ts';
import { noteSessionEnd } from '../api/session.ts';
import { queryValue } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { controlWords, exportWords as words } from '../words/controls.ts';
import { csvCell, saveCsv } from './csv-file.ts';
import { patiently } from './patiently.ts';
import { sayError } from './say-error.ts';

/** How many records an export reads with one request. */
export const EXPORT_PAGE = 100;

interface ExportProps<Row, Full = Row> {
  /** Without its ending. */
  fileName: string;
  columns: readonly (keyof Full & string)[];
  /** The first page of all records, of `EXPORT_PAGE` each. Each page costs a request of the plan. */
  list: (signal: AbortSignal) => PromiseLike<Page<Row>>;
  /** The page on the screen: if it is all there is, the cost is known. */
  shown: Pick<Page<Row>, 'items' | 'nextCursor'> | undefined;
  /** Adds the names that the records have only ids of. */
  withNames?: {
    /** How many requests it costs for each page. */
    requests: number;
    add: (rows: readonly Row[], signal: AbortSignal) => PromiseLike<readonly Full[]>;
  };
}

/** Writes all records of a list, not only this page, into a file. It says before what it costs, and can be stopped. */
export function ExportCsv<Row extends object, Full extends object = Row>(
  props: ExportProps<Row, Full>,
) {
  const { fileName, columns, list, shown, withNames } = props;
  const [isAsked, setAsked] = useState(false);
  const [rows, setRows] = useState<number | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  // A screen that was left needs no file, and each further page would cost a request.
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    const lines = [columns.join(',')];
    setAsked(false);
    setRows(0);
    try {
      let page: Page<Row> | undefined = await patiently(() => list(signal));
      while (page && !signal.aborted) {
        const { items, next }: Page<Row> = page;
        const full = (await patiently(async () =>
          withNames && items.length > 0 ? withNames.add(items, signal) : items,
        )) as readonly Full[];
        lines.push(...full.map((row) => columns.map((name) => csvCell(row[name])).join(',')));
        setRows(lines.length - 1);
        if (!signal.aborted) page = await patiently(next);
      }
      if (!signal.aborted) saveCsv(`${fileName}.csv`, `${lines.join('\r\n')}\r\n`);
    } catch (err) {
      if (signal.aborted) return;
      noteSessionEnd(err);
      sayError(err);
    } finally {
      setRows(undefined);
    }
  };
  if (rows !== undefined) {
    return (
      <Button icon="x" onClick={() => running.current?.abort()}>
        {words.stop(rows, isPaused.value)}
      </Button>
    );
  }
  return (
    <>
      <Button icon="download" onClick={() => setAsked(true)}>
        {words.exportCsv}
      </Button>
      {isAsked && (
        <Dialog title={words.exportCsv} onClose={() => setAsked(false)}>
          <p>{costText(shown, 1 + (withNames?.requests ?? 0))}</p>
          {minuteWindow.value && <p class="hint">{words.left(minuteWindow.value.remaining)}</p>}
          <footer class="actions">
            <Button onClick={() => setAsked(false)}>{controlWords.cancel}</Button>
            <Button look="primary" onClick={() => void run()}>
              {words.start}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

/** What the export costs: exactly, if the screen shows all rows, else for each page. */
function costText(shown: ExportProps<object>['shown'], requests: number): string {
  const areAll = shown && shown.nextCursor === undefined && queryValue('cursor') === undefined;
  if (!areAll) return words.costsEach(requests, EXPORT_PAGE);
  return words.costs(shown.items.length, shown.items.length === 0 ? 1 : requests);
}
