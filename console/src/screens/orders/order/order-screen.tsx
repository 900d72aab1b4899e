import type { Order } from '@petstore/client';
import { useState } from 'preact/hooks';
import { NotFoundError } from '../../../api/errors.ts';
import { scopeReason } from '../../../api/session.ts';
import { usePetName } from '../../../api/shared-queries.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { BASE } from '../../../router.ts';
import type { ScreenProps } from '../../../routes.ts';
import { BackLink } from '../../../ui/back-link.tsx';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { orderWords as words } from '../../../words/orders.ts';
import { OrderDialogs, type OrderStep } from '../order-dialogs.tsx';
import { useOrder } from '../query.ts';
import { OrderFacts } from './order-facts.tsx';
import { OrderHistory } from './order-history.tsx';
import { PetStock } from './pet-stock.tsx';
import { RemoveCustomer } from './remove-customer.tsx';
import { SameReference } from './same-reference.tsx';

const LIST = `${BASE}/orders`;

export function OrderScreen({ id = '' }: ScreenProps) {
  const orderId = Number(id);
  return Number.isSafeInteger(orderId) && orderId > 0 ? (
    <KnownOrder orderId={orderId} />
  ) : (
    <NoOrder id={id} />
  );
}

function KnownOrder({ orderId }: { orderId: number }) {
  const [step, setStep] = useState<OrderStep['kind'] | undefined>(undefined);
  const query = useOrder(orderId);
  const order = query.data?.data;
  const name = usePetName(order?.petId);
  if (query.error instanceof NotFoundError) return <NoOrder id={String(orderId)} />;
  return (
    <div class="stack">
      <BackLink href={LIST}>{words.all}</BackLink>
      <PageHead
        title={words.order(orderId)}
        lead={order ? words.unitsOfPet(order.quantity ?? 1, name) : '\u00a0'}
      >
        {order && <Steps order={order} onStep={setStep} />}
      </PageHead>
      <Loaded query={query} rows={10}>
        {({ data }) => (
          <div class="columns wide-left">
            <div class="stack">
              <OrderFacts order={data} name={name} />
              <OrderHistory order={data} />
            </div>
            <div class="stack">
              <PetStock petId={data.petId ?? 0} />
              {data.reference !== undefined && (
                <SameReference reference={data.reference} order={data} />
              )}
            </div>
          </div>
        )}
      </Loaded>
      <OrderDialogs step={step && { kind: step, orderId }} onClose={() => setStep(undefined)} />
    </div>
  );
}

interface StepsProps {
  order: Order;
  onStep: (kind: OrderStep['kind']) => void;
}

/** What can be done with it, or why nothing can. */
function Steps({ order, onStep }: StepsProps) {
  if (order.state !== 'open') {
    return (
      <>
        <p class="hint">{words.hasEnded(order.state)}</p>
        {order.customer !== undefined && <RemoveCustomer order={order} />}
      </>
    );
  }
  const offReason = scopeReason('write');
  return (
    <>
      <Button look="danger" offReason={offReason} onClick={() => onStep('cancel')}>
        {words.cancel}
      </Button>
      <Button icon="pencil" offReason={offReason} onClick={() => onStep('change')}>
        {words.change}
      </Button>
      <Button look="primary" icon="check" offReason={offReason} onClick={() => onStep('fulfil')}>
        {words.fulfil}
      </Button>
    </>
  );
}

function NoOrder({ id }: { id: string }) {
  return (
    <div class="stack">
      <PageHead title={words.goneTitle(id)} />
      <section class="card">
        <Empty icon="shopping-cart" title={words.goneTitle(id)}>
          <p>{words.goneText}</p>
          <LinkButton href={LIST}>{words.all}</LinkButton>
        </Empty>
      </section>
    </div>
  );
}
