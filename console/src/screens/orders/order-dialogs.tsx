import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import { usePetName } from '../../api/shared-queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { orderStepWords, orderWords as words } from '../../words/orders.ts';
import { useItem } from '../inventory/use-item.ts';
import { ChangeForm } from './change-form.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import { useOrder } from './query.ts';
import type { StepFormProps } from './use-order-edit.ts';

/** A change of one order that the user is about to make. */
export interface OrderStep {
  kind: StepFormProps['kind'];
  orderId: number;
}

interface OrderDialogsProps {
  step: OrderStep | undefined;
  onClose: () => void;
}

const forms: Record<OrderStep['kind'], ComponentType<StepFormProps>> = {
  fulfil: ConfirmForm,
  cancel: ConfirmForm,
  change: ChangeForm,
};

/** The dialog of a step. It reads the order anew if the list has shown it: a list has no ETags. */
export function OrderDialogs({ step, onClose }: OrderDialogsProps) {
  if (!step) return null;
  return <OrderDialog key={`${step.kind} ${step.orderId}`} step={step} onClose={onClose} />;
}

interface OrderDialogProps {
  step: OrderStep;
  onClose: () => void;
}

function OrderDialog({ step: { kind, orderId }, onClose }: OrderDialogProps) {
  const order = useOrder(orderId);
  // The form keeps the order and the ETag that it begins with, so it waits for those of now.
  const isReady = useRef(false);
  isReady.current ||= !order.isFetching && !order.isInvalid;
  const { petId, quantity = 1 } = order.data?.data ?? {};
  const name = usePetName(petId);
  const title = kind === 'change' ? orderStepWords.changeTitle : orderStepWords[kind].title;
  const Form = forms[kind];
  return (
    <Dialog
      title={title(orderId)}
      subtitle={petId && words.unitsOfPet(quantity, name)}
      onClose={onClose}
    >
      <Loaded query={order} rows={6} isHeld={!isReady.current}>
        {(opened) => (
          <WithStock
            Form={Form}
            kind={kind}
            opened={opened}
            name={name}
            onClose={onClose}
            onDone={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

type WithStockProps = Omit<StepFormProps, 'item'> & { Form: ComponentType<StepFormProps> };

function WithStock({ Form, ...props }: WithStockProps) {
  const item = useItem(props.opened.data.petId ?? 0);
  return <Form {...props} item={item.data?.data} />;
}
