import type { OrderPatch } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../../api/store.ts';
import { FormFooter } from '../../../parts/form-footer.tsx';
import { RehearseButton, useRehearsal } from '../../../parts/rehearsal.tsx';
import { useUnsaved } from '../../../parts/use-unsaved.ts';
import { Form } from '../../../ui/fields/form.tsx';
import { say } from '../../../ui/toast.tsx';
import { controlWords } from '../../../words/controls.ts';
import { orderWords, orderStepWords as words } from '../../../words/orders.ts';
import type { StepFormProps } from '../order-dialogs.tsx';
import { ordersChanged } from '../query.ts';
import { StockEffect } from '../stock-effect.tsx';
import { useOrderWrite } from '../use-order-write.ts';
import { ChangeFields, errorsOf } from './change-fields.tsx';
import { OrderConflict } from './order-conflict.tsx';
import { draftOf, patched, patchOf } from './order-patch.ts';

/** Changes an open order. Only the fields that the user changed are sent. */
export function ChangeForm({ opened, item, onClose, onDone }: StepFormProps) {
  const id = opened.data.id ?? 0;
  // The page may read the order again meanwhile. What the user changed is what differs from the first reading.
  const [first] = useState(opened.data);
  const [draft, setDraft] = useState(() => draftOf(first));
  const { base, etag, write, between, run, applyAgain } = useOrderWrite<OrderPatch>({
    opened,
    send: (patch, options) => store.orders.update(id, patch, options),
    onDone: () => {
      say(words.changed(id));
      ordersChanged();
      onDone();
    },
  });
  const patch = patchOf(first, draft);
  const isChanged = Object.keys(patch).length > 0;
  const difference = (patch.quantity ?? base.quantity ?? 1) - (base.quantity ?? 1);
  const errors = errorsOf({ draft, patch, difference, item });
  const hasError = Object.values(errors).some(Boolean);
  const rehearsal = useRehearsal({
    send: () =>
      store.orders.update(id, patch, {
        dryRun: true,
        ifMatch: etag,
      }),
    fine: words.changeRehearsed,
    content: [patch, etag],
  });
  useUnsaved(isChanged && write.state !== 'sending');
  const submit = () => {
    if (isChanged && !hasError) run(patch);
  };
  return (
    <Form onSubmit={submit}>
      {between && (
        <OrderConflict
          between={between}
          opened={base}
          yours={patched(between.order.data, patch)}
          yourState={orderWords.states.open}
          onApply={() => applyAgain(patch)}
          onLetGo={onClose}
        />
      )}
      <ChangeFields draft={draft} errors={errors} onChange={setDraft} />
      {item && <StockEffect before={item} change={{ onHand: 0, reserved: difference }} />}
      <FormFooter
        write={write}
        curl={{ method: 'PATCH', path: `/store/orders/${id}`, body: patch, ifMatch: etag }}
        action={words.changeButton}
        offReason={isChanged ? undefined : controlWords.nothing}
        isConflict={between !== undefined}
        rehearsal={rehearsal}
        onClose={onClose}
      >
        {isChanged && !hasError && !between && <RehearseButton rehearsal={rehearsal} />}
      </FormFooter>
    </Form>
  );
}
