import type { InventoryItem, NewOrder } from '@petstore/client';
import { orderWords, newOrderWords as words } from '../../../words/orders.ts';
import { effectOfPlacing, StockEffect } from '../stock-effect.tsx';

export interface PlacingEffectProps {
  petId: number | undefined;
  item: InventoryItem | undefined;
  order: NewOrder;
}

/** What the order will do to the stock of its pet. Its place is there from the start, so nothing jumps. */
export function PlacingEffect({ petId, item, order }: PlacingEffectProps) {
  return (
    <section class="stack tight placing-effect" aria-label={orderWords.effect}>
      <h2>{orderWords.effect}</h2>
      {petId === undefined || item === undefined ? (
        <p class="muted">{words.choosePet}</p>
      ) : (
        <StockEffect
          before={item}
          change={effectOfPlacing(order.quantity ?? 1, order.complete ?? false)}
        />
      )}
    </section>
  );
}
