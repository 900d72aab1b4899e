import type { InventoryItem, Movement } from '@petstore/client';
import { useState } from 'preact/hooks';
import { isPending, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { useKeyNames } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { StepArea } from '../../charts/step-area.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { IconAction } from '../../ui/button.tsx';
import { past } from '../../ui/format.ts';
import { useNow } from '../../ui/use-now.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { undoWords } from '../../words/undo.ts';
import { beforeAfterText, Cause, canUndo, whoOf, whyOf } from '../movement.tsx';
import { UndoDialog } from '../undo-dialog.tsx';
import { OpenOrders } from './open-orders.tsx';
import { asOfValue } from './query.ts';
import { DAYS_MS, pointsOf, ROWS } from './stock-points.ts';

const SHOWN = 8;

function useMovements(petId: number) {
  const query = { limit: ROWS, sort: '-id' } as const;
  return useQuery({
    key: ['listMovements', petId],
    read: (signal) => store.inventory.movements(petId, query, { signal }),
  });
}

interface StockHistoryProps {
  item: InventoryItem;
  /** The name of the pet. */
  name: string;
}

/** The staircase of the last 30 days, the ledger below it, and the orders that hold units now. */
export function StockHistory({ item, name }: StockHistoryProps) {
  const { petId } = item;
  const now = useNow();
  const movements = useMovements(petId);
  const names = useKeyNames(movements.data?.items);
  const [undone, setUndone] = useState<Movement | undefined>(undefined);
  // Below rows that are not there yet, the orders would move.
  const isEarly = names.isPending || isPending(movements);
  return (
    <>
      <Loaded query={movements} rows={8} isHeld={names.isPending}>
        {({ items }) => (
          <>
            <section class="stack tight">
              <div class="row">
                <h3>{words.history}</h3>
                <div class="legend push">
                  <span>{words.onHandLegend}</span>
                  <span class="reserved">{words.reservedLegend}</span>
                </div>
              </div>
              <StepArea points={pointsOf(items, item, now)} from={now - DAYS_MS} to={now} />
            </section>
            <section class="stack tight">
              <h3>{words.ledger}</h3>
              <ul class="rows">
                {items.slice(0, SHOWN).map((movement) => (
                  <li key={movement.id}>
                    <span>
                      <Cause movement={movement} />
                      {whyOf(movement) !== '' && (
                        <span class="muted why"> · {whyOf(movement)}</span>
                      )}
                      <span class="second muted small">
                        {whoOf(movement, names)}, {past(movement.at, now)}
                      </span>
                    </span>
                    <span class="push number">{beforeAfterText(movement)}</span>
                    {asOfValue() === undefined && canUndo(movement) && (
                      <IconAction
                        icon="undo-2"
                        label={undoWords.undoOf(whyOf(movement))}
                        offReason={scopeReason('write')}
                        onClick={() => setUndone(movement)}
                      />
                    )}
                  </li>
                ))}
              </ul>
            </section>
            {undone && (
              <UndoDialog movement={undone} name={name} onClose={() => setUndone(undefined)} />
            )}
          </>
        )}
      </Loaded>
      <div hidden={isEarly}>
        <OpenOrders petId={petId} />
      </div>
    </>
  );
}
