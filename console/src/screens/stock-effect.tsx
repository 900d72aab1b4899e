import type { InventoryItem } from '@petstore/client';
import { number } from '../ui/format.ts';
import { inventoryWords as words } from '../words/inventory.ts';

/** By how much a step changes the counts of a pet. */
interface StockChange {
  onHand: number;
  reserved: number;
}

/** An order holds its units; one that is handed over takes them at once. */
export function effectOfPlacing(units: number, isComplete: boolean): StockChange {
  return isComplete ? { onHand: -units, reserved: 0 } : { onHand: 0, reserved: units };
}

export function effectOfFulfilling(units: number): StockChange {
  return { onHand: -units, reserved: -units };
}

export function effectOfCancelling(units: number): StockChange {
  return { onHand: 0, reserved: -units };
}

/** What the counts are, and what they will be. */
export function StockEffect({ before, change }: { before: InventoryItem; change: StockChange }) {
  const available = before.available + change.onHand - change.reserved;
  const rows = [
    [words.columns.onHand, before.quantity, before.quantity + change.onHand],
    [words.columns.reserved, before.reserved, before.reserved + change.reserved],
    [words.columns.available, before.available, available],
  ] as const;
  return (
    <dl class="preview" aria-label={words.effect}>
      {rows.map(([title, from, to]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            {number(from)}
            {from !== to && (
              <>
                {' → '}
                <strong class={to < 0 ? 'text-bad' : undefined}>{number(to)}</strong>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
