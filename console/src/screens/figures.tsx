import type { InventoryItem } from '@petstore/client';
import { number } from '../ui/format.ts';
import { inventoryWords as words } from '../words/inventory.ts';

/** The counts of a pet. The last one stands out where it is low. */
export function Figures({ item, lowAt }: { item: InventoryItem; lowAt: number }) {
  const figures = [
    [words.columns.onHand, item.quantity, ''],
    [words.columns.reserved, item.reserved, ''],
    [words.columns.available, item.available, item.available <= lowAt ? 'text-warn' : ''],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([title, value, tone]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd class={tone}>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
