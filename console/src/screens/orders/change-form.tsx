import type { InventoryItem, Order } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useRehearsal } from '../../parts/form/rehearsal.tsx';
import { Stepper, wholeNumber } from '../../ui/fields/stepper.tsx';
import { say } from '../../ui/say.ts';
import { orderFieldWords, orderStepWords as words } from '../../words/orders.ts';
import { LedgerRow } from '../ledger-row.tsx';
import { StockEffect } from '../stock-effect.tsx';
import { canHoldUntil, draftOf, type OrderDraft } from './order-draft.ts';
import { OrderFields } from './order-fields.tsx';
import { type StepFormProps, useOrderEdit } from './use-order-edit.ts';

/** Changes an open order. Only the fields that the user changed are sent. */
export function ChangeForm({ opened, item, onClose, onDone }: StepFormProps) {
  const id = opened.data.id ?? 0;
  const edit = useOrderEdit({
    operation: 'updateOrder',
    opened,
    errorsOf: (draft, base) => errorsOf(draft, base, item),
    send: (patch, options) => store.orders.update(id, patch, options),
    onDone: () => say(words.changed(id)),
    goOn: onDone,
  });
  const { base, body, draft, ended, errors, ifMatch, movement, set } = edit;
  const rehearsal = useRehearsal({
    send: () => store.orders.update(id, body, { dryRun: true, ifMatch }),
    content: [body, ifMatch],
  });
  return (
    <FormView
      form={edit}
      method="PATCH"
      path={`/store/orders/${id}`}
      action={words.changeButton}
      between={movement && <LedgerRow movement={movement} />}
      rehearsal={rehearsal}
      onClose={onClose}
    >
      <Stepper
        label={orderFieldWords.units}
        fewer={orderFieldWords.fewer}
        more={orderFieldWords.oneMore}
        value={draft.units}
        onInput={(units) => set({ units })}
        error={errors.units}
        isFocused
      />
      <OrderFields draft={draft} errors={errors} onChange={set} />
      {item && ended === undefined && (
        <StockEffect before={item} change={{ onHand: 0, reserved: differenceOf(draft, base) }} />
      )}
    </FormView>
  );
}

/** How many more units the order would hold. */
function differenceOf({ units }: OrderDraft, { quantity = 1 }: Order): number {
  return (wholeNumber(units) ?? quantity) - quantity;
}

function errorsOf(draft: OrderDraft, base: Order, item: InventoryItem | undefined) {
  const units =
    wholeNumber(draft.units) === undefined
      ? orderFieldWords.needsUnits
      : item && differenceOf(draft, base) > item.available
        ? words.onlyMore(item.available)
        : undefined;
  const isNewEnd = draft.holds !== '' && draft.holds !== draftOf(base).holds;
  const isBadEnd = isNewEnd && !canHoldUntil(draft.holds, Date.now());
  return { units, holds: isBadEnd ? orderFieldWords.holdsPast : undefined };
}
