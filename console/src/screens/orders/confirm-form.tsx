import type { WriteOptions } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormView } from '../../parts/form/form-view.tsx';
import { useRehearsal } from '../../parts/form/rehearsal.tsx';
import { say } from '../../ui/say.ts';
import { controlWords } from '../../words/controls.ts';
import { orderStepWords } from '../../words/orders.ts';
import { LedgerRow } from '../ledger-row.tsx';
import { effectOfCancelling, effectOfFulfilling, StockEffect } from '../stock-effect.tsx';
import { type StepFormProps, useOrderEdit } from './use-order-edit.ts';

const FULFILLED = { complete: true } as const;

/** Fulfils or cancels an order. It says what that does to stock before it is done. */
export function ConfirmForm({ kind, opened, item, name, onClose, onDone }: StepFormProps) {
  const isCancel = kind === 'cancel';
  const words = isCancel ? orderStepWords.cancel : orderStepWords.fulfil;
  const id = opened.data.id ?? 0;
  const send = (options: WriteOptions & { dryRun?: boolean }) =>
    isCancel ? store.orders.cancel(id, options) : store.orders.update(id, FULFILLED, options);
  const edit = useOrderEdit({
    operation: isCancel ? 'cancelOrder' : 'updateOrder',
    opened,
    asked: { state: isCancel ? 'cancelled' : 'fulfilled' },
    send: (_, options) => send(options),
    onDone: () => say(words.done(id, units, name)),
    goOn: onDone,
  });
  const { base, ended, ifMatch, movement } = edit;
  const units = base.quantity ?? 1;
  const rehearsal = useRehearsal<unknown>({
    send: () => send({ dryRun: true, ifMatch }),
    content: ifMatch,
  });
  return (
    <FormView
      form={{ ...edit, body: isCancel ? undefined : FULFILLED }}
      method={isCancel ? 'DELETE' : 'PATCH'}
      path={`/store/orders/${id}`}
      action={words.button}
      look={isCancel ? 'danger' : 'primary'}
      between={movement && <LedgerRow movement={movement} />}
      rehearsal={rehearsal}
      cancel={isCancel ? orderStepWords.keep : controlWords.cancel}
      onClose={onClose}
    >
      {ended === undefined && <p>{words.text(units, name)}</p>}
      {item && ended === undefined && (
        <StockEffect
          before={item}
          change={isCancel ? effectOfCancelling(units) : effectOfFulfilling(units)}
        />
      )}
    </FormView>
  );
}
