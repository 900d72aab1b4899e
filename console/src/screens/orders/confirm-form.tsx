import type { WriteOptions } from '@petstore/client';
import { store } from '../../api/store.ts';
import { FormFooter } from '../../parts/form-footer.tsx';
import { RehearseButton, useRehearsal } from '../../parts/rehearsal.tsx';
import { Form } from '../../ui/fields/form.tsx';
import { say } from '../../ui/toast.tsx';
import { controlWords } from '../../words/controls.ts';
import { orderStepWords } from '../../words/orders.ts';
import { OrderConflict } from './change/order-conflict.tsx';
import type { StepFormProps } from './order-dialogs.tsx';
import { orderCancelled, ordersChanged } from './query.ts';
import { effectOfCancelling, effectOfFulfilling, StockEffect } from './stock-effect.tsx';
import { useOrderWrite } from './use-order-write.ts';

const FULFILLED = { complete: true } as const;

/** Fulfils or cancels an order. It says what that does to stock before it is done. */
export function ConfirmForm({ kind, opened, item, name, onClose, onDone }: StepFormProps) {
  const isCancel = kind === 'cancel';
  const words = isCancel ? orderStepWords.cancel : orderStepWords.fulfil;
  const id = opened.data.id ?? 0;
  const send = (options: WriteOptions & { dryRun?: boolean }) =>
    isCancel ? store.orders.cancel(id, options) : store.orders.update(id, FULFILLED, options);
  const { base, etag, write, between, run, applyAgain } = useOrderWrite<undefined>({
    opened,
    send: (_, options) => send(options),
    onDone: () => {
      say(words.done(id, units, name));
      if (isCancel) orderCancelled(id);
      else ordersChanged();
      onDone();
    },
  });
  const units = base.quantity ?? 1;
  const rehearsal = useRehearsal<unknown>({
    send: () => send({ dryRun: true, ifMatch: etag }),
    fine: words.rehearsed,
    content: etag,
  });
  return (
    <Form onSubmit={() => run(undefined)}>
      {between && (
        <OrderConflict
          between={between}
          opened={base}
          yours={{ ...between.order.data, complete: true }}
          yourState={words.yours}
          onApply={() => applyAgain(undefined)}
          onLetGo={onClose}
        />
      )}
      <p>{words.text(units, name)}</p>
      {item && (
        <StockEffect
          before={item}
          change={isCancel ? effectOfCancelling(units) : effectOfFulfilling(units)}
        />
      )}
      <FormFooter
        write={write}
        curl={{
          method: isCancel ? 'DELETE' : 'PATCH',
          path: `/store/orders/${id}`,
          body: isCancel ? undefined : FULFILLED,
          ifMatch: etag,
        }}
        action={words.button}
        look={isCancel ? 'danger' : 'primary'}
        isConflict={between !== undefined}
        rehearsal={rehearsal}
        cancel={isCancel ? orderStepWords.keep : controlWords.cancel}
        onClose={onClose}
      >
        {!between && <RehearseButton rehearsal={rehearsal} />}
      </FormFooter>
    </Form>
  );
}
