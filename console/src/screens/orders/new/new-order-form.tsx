import { useState } from 'preact/hooks';
import { usePetName } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { FormView } from '../../../parts/form/form-view.tsx';
import { useRehearsal } from '../../../parts/form/rehearsal.tsx';
import { useForm } from '../../../parts/form/use-form.ts';
import { BASE, navigate } from '../../../router.ts';
import { say } from '../../../ui/say.ts';
import { useNow } from '../../../ui/use-now.ts';
import { newOrderWords as words } from '../../../words/orders.ts';
import { errorsOf, type NewOrderDraft, orderOf } from './new-order-draft.ts';
import { NewOrderFields } from './new-order-fields.tsx';
import { PlacingEffect } from './placing-effect.tsx';
import { useChosenItem } from './use-chosen-item.ts';

export function NewOrderForm({ petId }: { petId: number | undefined }) {
  const first: NewOrderDraft = { petId, units: '1', ships: '', isComplete: false, holds: '' };
  const [chosenId, setChosenId] = useState(petId);
  const stock = useChosenItem(chosenId);
  const name = usePetName(chosenId);
  const now = useNow();
  const form = useForm({
    operation: 'placeOrder',
    first,
    errorsOf: (draft) => errorsOf(draft, { ...stock, now }),
    bodyOf: orderOf,
    send: (order, idempotencyKey) => store.orders.place(order, { idempotencyKey }),
    onDone: ({ id = 0, quantity = 1 }) => say(words.placed(id, quantity, name)),
    goOn: ({ id }) => navigate(`${BASE}/orders/${id}`, { replace: true }),
  });
  const { body, draft } = form;
  const rehearsal = useRehearsal({
    send: () => store.orders.place(body, { dryRun: true }),
    fine: words.rehearsed(body.quantity ?? 1, name),
    content: body,
  });
  return (
    <FormView
      form={form}
      path="/store/orders"
      class="card"
      action={words.submit}
      rehearsal={rehearsal}
      onClose={() => navigate(`${BASE}/orders`)}
    >
      <NewOrderFields
        draft={draft}
        errors={form.errors}
        onChange={(changes) => {
          form.set(changes);
          if ('petId' in changes) setChosenId(changes.petId);
        }}
      />
      <PlacingEffect petId={draft.petId} item={stock.item} order={body} />
    </FormView>
  );
}
