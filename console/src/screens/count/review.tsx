import type { StockBatchResult } from '@petstore/client';
import type { Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { number } from '../../ui/format.ts';
import { Name, Table } from '../../ui/table.tsx';
import { controlWords } from '../../words/controls.ts';
import { countWords as words } from '../../words/count.ts';
import { isLargeChange } from '../inventory/large-change.tsx';
import { unitsText } from './count-line.tsx';
import {
  batchOf,
  type CountRow,
  differenceOf,
  isDifferent,
  settled,
  unitsOf,
} from './count-row.ts';
import { changeRow, totals, valuesOf } from './counting.ts';

interface ReviewProps {
  rows: readonly Signal<CountRow>[];
  onClose: () => void;
  /** Everything was sent; so many counts were saved. */
  onSent: (saved: number) => void;
}

/** Whether it is likely a slip of the hand. These come first. */
const isSlip = (row: CountRow) => isLargeChange(row.expected, unitsOf(row.counted) ?? 0);

/** What differs, before it is sent. It is sent in as many requests as it needs, one after the other. */
export function Review({ rows, onClose, onSent }: ReviewProps) {
  const [saved, setSaved] = useState<number | undefined>(undefined);
  const write = useWrite<ReturnType<typeof batchOf>, StockBatchResult>({
    operation: 'setStock',
    rowsOf: ({ items }) => items.length,
    send: (batch, idempotencyKey) => store.inventory.setMany(batch, { idempotencyKey }),
    onDone: ({ changed, results }, { items }) => {
      const byPet = new Map(rows.map((row) => [row.value.petId, row]));
      for (const [index, { petId, quantity }] of items.entries()) {
        const row = byPet.get(petId)!;
        changeRow(row, settled(row.value, quantity, results[index]!));
      }
      setSaved((before = 0) => before + changed);
    },
    onError: () => setSaved(undefined),
    onDropped: () => setSaved(undefined),
  });
  // What is counted on is not what is kept.
  useEffect(() => write.takeBack, []);
  const { all, counted, different, ready } = totals.value;
  const isSending = saved !== undefined;
  useEffect(() => {
    if (saved === undefined || write.state !== 'idle') return;
    if (ready > 0) return write.run(batchOf(valuesOf()));
    onSent(saved);
  }, [saved, write.state]);
  return (
    <Dialog title={words.reviewTitle} width="wide" onClose={onClose}>
      <p>{words.reviewText(different, all - counted)}</p>
      <Table
        label={words.reviewTitle}
        rows={valuesOf()
          .filter(isDifferent)
          .sort((a, b) => Number(isSlip(b)) - Number(isSlip(a)))}
        keyOf={({ petId }) => petId}
        columns={[
          {
            title: words.columns.pet,
            cell: (row) => (
              <>
                <Name>{row.name}</Name>
                {isSlip(row) && <span class="second late">{words.large}</span>}
                {row.problem !== undefined && <span class="second late">{row.problem}</span>}
              </>
            ),
          },
          { title: words.columns.expected, align: 'end', cell: (row) => number(row.expected) },
          { title: words.columns.counted, align: 'end', cell: unitsText },
          {
            title: words.columns.difference,
            align: 'end',
            cell: (row) => <strong>{words.difference(differenceOf(row) ?? 0)}</strong>,
          },
        ]}
      />
      <WriteState write={write} />
      <footer class="actions" data-sending={write.state === 'sending' || undefined}>
        <Button isBusy={isSending && write.state !== 'kept'} onClick={onClose}>
          {words.goOn}
        </Button>
        <Button
          look="primary"
          isBusy={isSending || write.state !== 'idle'}
          offReason={scopeReason('write') ?? (ready === 0 ? words.nothingToSend : undefined)}
          onClick={() => setSaved(0)}
        >
          {isSending ? controlWords.saving : words.send(ready)}
        </Button>
      </footer>
    </Dialog>
  );
}
