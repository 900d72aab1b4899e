import type { InventoryItem } from '@petstore/client';
import { inventoryWords as words } from '../../words/inventory.ts';

const WIDTH = 96;
const LEAST = 3;

interface StockBarProps {
  item: InventoryItem;
  /** What the whole width stands for, so that the bars of a page can be compared. */
  most: number;
}

/** What is on hand, and how much of it can still be sold. */
export function StockBar({ item: { quantity, available }, most }: StockBarProps) {
  const widthOf = (units: number) => (units === 0 ? 0 : Math.max(LEAST, (WIDTH * units) / most));
  return (
    <svg
      class="stock-bar"
      width={WIDTH}
      height="6"
      role="img"
      aria-label={words.barLabel(available, quantity)}
    >
      <rect class="track" width={WIDTH} height="6" rx="3" />
      <rect class="held" width={widthOf(quantity)} height="6" rx="3" />
      <rect class="free" width={widthOf(Math.max(0, available))} height="6" rx="3" />
    </svg>
  );
}
