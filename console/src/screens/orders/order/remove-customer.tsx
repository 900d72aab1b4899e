import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { scopeReason } from '../../../api/session.ts';
import { store } from '../../../api/store.ts';
import { useWrite } from '../../../api/write.ts';
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx';
import { Button } from '../../../ui/button.tsx';
import { say } from '../../../ui/say.ts';
import { removeCustomerWords as words } from '../../../words/orders.ts';

const NONE = { customer: null } as const;

/** Removes the name of the customer, the only field of an ended order that can still be cleared. */
export function RemoveCustomer({ order }: { order: Order }) {
  const [isAsked, setAsked] = useState(false);
  const { id, customer = '' } = order;
  const close = () => setAsked(false);
  const write = useWrite<typeof NONE, Order>({
    operation: 'updateOrder',
    send: (patch, idempotencyKey) => store.orders.update(id, patch, { idempotencyKey }),
    onDone: () => say(words.done(id)),
    goOn: close,
  });
  return (
    <>
      <Button offReason={scopeReason('write')} onClick={() => setAsked(true)}>
        {words.button}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={words.title(id)}
          action={words.button}
          write={write}
          onConfirm={() => write.run(NONE)}
          onClose={close}
          curl={{ method: 'PATCH', path: `/store/orders/${id}`, body: NONE }}
        >
          <p>{words.text(customer)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
