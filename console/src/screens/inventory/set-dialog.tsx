import type { InventoryItem, Movement, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useEdit } from '../../parts/form/use-edit.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { number } from '../../ui/format.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { LedgerRow } from '../ledger-row.tsx';
import { StockEffect } from '../stock-effect.tsx';
import { useLargeChange } from './large-change.tsx';
import { sayCounted } from './undo-last.ts';

interface SetDialogProps {
  petId: number;
  name: string;
  /** The record as it was when the dialog was opened. */
  opened: WithResponse<InventoryItem>;
  onClose: () => void;
}

interface CountDraft {
  count: string;
  reason: string;
}

const countOf = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

/** Sets the count. It must not overwrite what came between, so it sends If-Match. */
export function SetDialog({ petId, name, opened, onClose }: SetDialogProps) {
  const [movement, setMovement] = useState<Movement | undefined>(undefined);
  const edit = useEdit({
    operation: 'updateInventory',
    opened,
    draftOf: ({ quantity }: InventoryItem): CountDraft => ({
      count: String(quantity),
      reason: words.reasons[3],
    }),
    errorsOf: ({ count }, { reserved }) => ({ count: countError(count, reserved) }),
    bodyOf: ({ count, reason }) => ({
      quantity: countOf(count) ?? 0,
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    }),
    sendsAll: true,
    textsOf: ({ count }) => ({ [words.columns.onHand]: number(countOf(count) ?? 0) }),
    read: async () => {
      const item = await store.inventory.get(petId).withResponse();
      const { items } = await store.inventory.movements(petId, { limit: 1, sort: '-id' });
      setMovement(items[0]);
      return item;
    },
    send: ({ quantity = 0, reason }, options) =>
      store.inventory.update(petId, { quantity, ...(reason && { reason }) }, options),
    onDone: (updated) => sayCounted(name, petId, updated.quantity),
    goOn: onClose,
  });
  const { base, draft, errors, set } = edit;
  const quantity = countOf(draft.count);
  const large = useLargeChange(edit, base.quantity, quantity ?? base.quantity);
  return (
    <Dialog
      title={words.setTitle}
      subtitle={words.adjustSubtitle(name, base.quantity, base.reserved)}
      onClose={onClose}
    >
      <FormView
        form={large.form}
        method="PATCH"
        path={`/inventory/${petId}`}
        action={large.isAsked ? words.confirmCount(quantity!) : words.setTo(draft.count)}
        between={movement && <LedgerRow movement={movement} />}
        onClose={onClose}
      >
        <TextField
          label={words.newCount}
          inputMode="numeric"
          value={draft.count}
          onInput={(count) => set({ count: count.trim() })}
          error={errors.count}
          isFocused
        />
        <TextField
          label={words.reason}
          value={draft.reason}
          onInput={(reason) => set({ reason })}
          maxLength={500}
          isOptional
        />
        <StockEffect
          before={base}
          change={{ onHand: (quantity ?? base.quantity) - base.quantity, reserved: 0 }}
        />
        {large.question}
      </FormView>
    </Dialog>
  );
}

function countError(count: string, reserved: number): string | undefined {
  const quantity = countOf(count);
  if (quantity === undefined) return words.needsCount;
  return quantity < reserved ? words.tooFew(reserved) : undefined;
}
