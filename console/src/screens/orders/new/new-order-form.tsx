import type { NewOrder, Order } from '@petstore/client';
import { useEffect, useState } from 'preact/hooks';
import { usePetName } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { useWrite } from '../../../api/write.ts';
import { FormFooter } from '../../../parts/form-footer.tsx';
import { RehearseButton, useRehearsal } from '../../../parts/rehearsal.tsx';
import { useUnsaved } from '../../../parts/use-unsaved.ts';
import { BASE, navigate } from '../../../router.ts';
import { Form } from '../../../ui/fields/form.tsx';
import { say } from '../../../ui/toast.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { newOrderWords as words } from '../../../words/orders.ts';
import { stockChanged } from '../../inventory/query.ts';
import { ordersChanged } from '../query.ts';
import { errorsOf, type NewOrderDraft, orderOf } from './new-order-draft.ts';
import { NewOrderFields } from './new-order-fields.tsx';
import { PlacingEffect } from './placing-effect.tsx';
import { useChosenItem } from './use-chosen-item.ts';

export function NewOrderForm({ petId }: { petId: number | undefined }) {
  const first = { petId, units: '1', ships: '', isComplete: false, holds: '' };
  const [draft, setDraft] = useState<NewOrderDraft>(first);
  const [isChecked, setChecked] = useState(false);
  const [placed, setPlaced] = useState<Order | undefined>(undefined);
  const stock = useChosenItem(draft.petId);
  const name = usePetName(draft.petId);
  const errors = errorsOf(draft, { ...stock, now: useNow() });
  const hasError = Object.values(errors).some((error) => error !== undefined);
  const body = orderOf(draft);
  const write = useWrite<NewOrder, Order>({
    send: (order, idempotencyKey) => store.orders.place(order, { idempotencyKey }),
    onDone: (order) => {
      say(words.placed(order.id ?? 0, order.quantity ?? 1, name));
      ordersChanged();
      setPlaced(order);
    },
    onError: stockChanged,
  });
  const rehearsal = useRehearsal({
    send: () => store.orders.place(body, { dryRun: true }),
    fine: words.rehearsed(body.quantity ?? 1, name),
    content: body,
  });
  const isIdle = placed === undefined && write.state !== 'sending';
  useUnsaved(isIdle && JSON.stringify(draft) !== JSON.stringify(first));
  // Only if the user is still here.
  useEffect(() => {
    if (placed) navigate(`${BASE}/orders/${placed.id}`, { replace: true });
  }, [placed]);
  const submit = (form: HTMLFormElement) => {
    setChecked(true);
    if (placed) return;
    if (!hasError) write.run(body);
    // The first field that is wrong takes the focus once it is marked.
    else setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  return (
    <Form class="card" onSubmit={submit}>
      <NewOrderFields draft={draft} errors={shown(errors, isChecked)} onChange={setDraft} />
      <PlacingEffect petId={draft.petId} item={stock.item} order={body} />
      <FormFooter
        write={write}
        curl={{ method: 'POST', path: '/store/orders', body }}
        action={words.submit}
        rehearsal={rehearsal}
        onClose={() => navigate(`${BASE}/orders`)}
      >
        {!hasError && <RehearseButton rehearsal={rehearsal} />}
      </FormFooter>
    </Form>
  );
}

/** A field that the user has not come to yet is not called wrong. */
function shown(errors: ReturnType<typeof errorsOf>, isChecked: boolean) {
  if (isChecked) return errors;
  return { ...errors, ...(errors.pet === words.needsPet && { pet: undefined }) };
}
