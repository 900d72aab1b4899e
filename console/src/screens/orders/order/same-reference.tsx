import type { Order } from '@petstore/client';
import { useQuery } from '../../../api/query.ts';
import { nameIn, ORDER_STATES, usePets } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { BASE } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { controlWords } from '../../../words/controls.ts';
import { orderWords as words } from '../../../words/orders.ts';
import { FulfilMany } from '../fulfil-many.tsx';
import { badgeOf } from '../query.ts';

/** How many orders of one reference are shown. One request places no more. */
const SHOWN_MAX = 100;

interface SameReferenceProps {
  reference: string;
  order: Order;
}

/**
 * The orders that share the reference of this one, if there are others. Those of another customer say whose they are, and
 * are not fulfilled together with this one.
 */
export function SameReference({ reference, order: shown }: SameReferenceProps) {
  const query = { reference, state: ORDER_STATES, limit: SHOWN_MAX };
  const { data } = useQuery({
    key: ['listOrders', query],
    read: (signal) => store.orders.list(query, { signal }),
  });
  const orders = data?.items ?? [];
  const pets = usePets(orders.length > 1 ? orders.map(({ petId }) => petId) : undefined);
  const now = useNow();
  if (orders.length < 2 || pets.isPending) return null;
  const isOfAnother = ({ customer }: Order) => customer !== shown.customer;
  const open = orders.filter((order) => order.state === 'open' && !isOfAnother(order));
  return (
    <Card title={words.ordersOf(orders.length, reference)}>
      <ul class="rows">
        {orders.map((order) => {
          const { id, petId, quantity } = order;
          const [tone, state] = badgeOf(order, now);
          const name = nameIn(pets, petId);
          const whose = isOfAnother(order) ? order.customer : undefined;
          const text = controlWords.dotted(words.unitsOfPet(quantity, name), whose);
          return (
            <li key={id}>
              <span>
                {id === shown.id ? (
                  <strong>{words.order(id)}</strong>
                ) : (
                  <a class="target" href={`${BASE}/orders/${id}`}>
                    {words.order(id)}
                  </a>
                )}
                <span class="second muted small name">{text}</span>
              </span>
              <span class="push">
                <Badge tone={tone}>{state}</Badge>
              </span>
            </li>
          );
        })}
      </ul>
      {open.length > 1 && <FulfilMany orders={open} />}
    </Card>
  );
}
