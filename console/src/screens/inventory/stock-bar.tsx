import type { InventoryItem } from '@petstore/client';
import { inventoryWords as words } from '../../words/inventory.ts';

const WIDTH = 84;

/** How much of what is on hand can still be sold. */
export function StockBar({ item: { quantity, available } }: { item: InventoryItem }) {
  const share = quantity === 0 ? 0 : available / quantity;
  return (
    <svg
      class="stock-bar"
      width={WIDTH}
      height="6"
      role="img"
      aria-label={words.barLabel(available, quantity)}
    >
      <rect class="track" width={WIDTH} height="6" rx="3" />
      {quantity > 0 && <rect class="held" width={WIDTH} height="6" rx="3" />}
      {share > 0 && <rect class="free" width={Math.max(6, WIDTH * share)} height="6" rx="3" />}
    </svg>
  );
}
