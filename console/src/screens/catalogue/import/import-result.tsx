import type { BatchResult } from '@petstore/client';
import { csvCell, saveCsv } from '../../../parts/csv-file.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icons/icon.tsx';
import { importWords as words } from '../../../words/catalogue.ts';
import { type PetRow, refusedRows } from './pet-rows.ts';
import { RowsTable } from './rows-table.tsx';

interface ImportResultProps {
  rows: readonly PetRow[];
  result: BatchResult;
  onClose: () => void;
}

/** What became of each row. The refused ones can be saved, put right and imported again. */
export function ImportResult({ rows, result, onClose }: ImportResultProps) {
  const refused = refusedRows(rows, result.results);
  const isAny = result.created > 0;
  return (
    <div class="stack">
      <p class={`notice ${isAny ? 'good' : 'bad'}`} role="status">
        <Icon name={isAny ? 'circle-check' : 'triangle-alert'} />
        <span>{words.done(result.created)}</span>
      </p>
      {refused.length > 0 && (
        <>
          <p class="text-bad">{words.refused(refused.length)}</p>
          <RowsTable label={words.refusedLabel} rows={refused} isWithProblems />
        </>
      )}
      <footer class="actions">
        {refused.length > 0 && (
          <Button icon="download" onClick={() => saveCsv('refused.csv', csvOf(refused))}>
            {words.saveRefused}
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          {words.close}
        </Button>
      </footer>
    </div>
  );
}

function csvOf(rows: readonly PetRow[]): string {
  const columns = ['name', 'category', 'status', 'reference', 'lowStockAt', 'problem'] as const;
  const lines = rows.map((row) => columns.map((name) => csvCell(row[name])).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
