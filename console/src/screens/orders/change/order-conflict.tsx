import type { Order } from '@petstore/client';
import { useKeyNames } from '../../../api/shared-queries.ts';
import { Conflict } from '../../../parts/edit/conflict.tsx';
import { past } from '../../../ui/format.ts';
import { inventoryWords } from '../../../words/inventory.ts';
import { movementWords } from '../../../words/movements.ts';
import { beforeAfterText, whoOf } from '../../movement.tsx';
import type { Between } from '../use-order-write.ts';
import { orderFields } from './order-fields.ts';

export interface OrderConflictProps {
  between: Between;
  /** The order as the user opened it. */
  opened: Order;
  /** The order as it would be after the user's change, and its state in words. */
  yours: Order;
  yourState: string;
  onApply: () => void;
  onLetGo: () => void;
}

/** Theirs and yours, field by field, and the row of the ledger that came between. */
export function OrderConflict(props: OrderConflictProps) {
  const { between, opened, yours, yourState, onApply, onLetGo } = props;
  const names = useKeyNames();
  const { movement } = between;
  return (
    <Conflict
      fields={orderFields({ opened, theirs: between.order.data, yours, yourState })}
      onApply={onApply}
      onLetGo={onLetGo}
    >
      {movement &&
        inventoryWords.betweenText(
          movementWords.causes[movement.cause] ?? movement.cause,
          past(movement.at, Date.now()),
          whoOf(movement, names),
          beforeAfterText(movement),
        )}
    </Conflict>
  );
}
