import type { InventoryItem, Movement } from '@petstore/client';
import { useState } from 'preact/hooks';
import { useKeyNames } from '../../api/common-queries.ts';
import { isPending, useQuery } from '../../api/query.ts';
import { may } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { StepArea, type StockPoint } from '../../charts/step-area.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { past } from '../../ui/format.ts';
import { IconAction } from '../../ui/icon-action.tsx';
import { useNow } from '../../ui/use-now.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { undoWords } from '../../words/undo.ts';
import { beforeAfterText, Cause, whoOf, whyOf } from '../movement.tsx';
import { canUndo, UndoDialog } from '../undo-dialog.tsx';
import { OpenOrders } from './open-orders.tsx';

const DAYS_MS = 30 * 86_400_000;
const ROWS = 100;
const SHOWN = 8;

export function useMovements(petId: number) {
  const query = { limit: ROWS, sort: '-id' } as const;
  return useQuery({
    key: ['listMovements', petId],
    read: (signal) => store.inventory.movements(petId, query, { signal }),
  });
}

export interface StockHistoryProps {
  item: InventoryItem;
  /** The name of the pet. */
  name: string;
}

/** The staircase of the last 30 days, the ledger below it, and the orders that hold units now. */
export function StockHistory({ item, name }: StockHistoryProps) {
  const { petId } = item;
  const now = useNow();
  const movements = useMovements(petId);
  const names = useKeyNames();
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
                      {whyOf(movement) !== '' && <span class="muted"> · {whyOf(movement)}</span>}
                      <span class="second muted small">
                        {whoOf(movement, names)}, {past(movement.at, now)}
                      </span>
                    </span>
                    <span class="push number">{beforeAfterText(movement)}</span>
                    {may('write') && canUndo(movement) && (
                      <IconAction
                        icon="undo-2"
                        label={undoWords.undoOf(whyOf(movement))}
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

/** One step for each movement of the last 30 days, oldest first. The first step is what was there before. */
export function pointsOf(
  newestFirst: readonly Movement[],
  item: InventoryItem,
  now: number,
): StockPoint[] {
  const from = now - DAYS_MS;
  const recent = newestFirst.filter(({ at }) => Date.parse(at) >= from);
  const oldest = recent.at(-1);
  const start: StockPoint[] =
    oldest === undefined
      ? [{ at: new Date(from).toISOString(), quantity: item.quantity, reserved: item.reserved }]
      : oldest.cause === 'created'
        ? []
        : [
            {
              at: new Date(from).toISOString(),
              quantity: oldest.quantityBefore,
              reserved: oldest.reservedBefore,
            },
          ];
  const steps = recent
    .map(({ at, quantityAfter, reservedAfter }) => ({
      at,
      quantity: quantityAfter,
      reserved: reservedAfter,
    }))
    .reverse();
  return [...start, ...steps];
}
