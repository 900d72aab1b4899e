import { scopeReason } from '../../api/session.ts';
import { IconAction } from '../../ui/button.tsx';
import { orderStepWords as words } from '../../words/orders.ts';
import type { OrderStep } from './order-dialogs.tsx';

interface RowActionsProps {
  orderId: number;
  onStep: (step: OrderStep) => void;
}

/** What can be done with an open order from the list. Its own screen has the same, and cancelling. */
export function RowActions({ orderId, onStep }: RowActionsProps) {
  return (
    <span class="row-actions">
      <IconAction
        icon="check"
        label={words.fulfil.title(orderId)}
        offReason={scopeReason('write')}
        onClick={() => onStep({ kind: 'fulfil', orderId })}
      />
      <IconAction
        icon="pencil"
        isEdit
        label={words.changeTitle(orderId)}
        offReason={scopeReason('write')}
        onClick={() => onStep({ kind: 'change', orderId })}
      />
    </span>
  );
}
