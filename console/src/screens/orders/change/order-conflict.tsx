import type { Order } from '@petstore/client';
import { Conflict } from '../../../parts/edit/conflict.tsx';
import { LedgerRow } from '../../ledger-row.tsx';
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
  const { movement } = between;
  return (
    <Conflict
      fields={orderFields({ opened, theirs: between.order.data, yours, yourState })}
      onApply={onApply}
      onLetGo={onLetGo}
    >
      {movement && <LedgerRow movement={movement} />}
    </Conflict>
  );
}
