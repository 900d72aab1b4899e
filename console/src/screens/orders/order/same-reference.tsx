import { useQuery } from '../../../api/query.ts';
import { ORDER_STATES, usePets } from '../../../api/shared-queries.ts';
import { store } from '../../../api/store.ts';
import { BASE } from '../../../router.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { movementWords } from '../../../words/movements.ts';
import { orderWords as words } from '../../../words/orders.ts';
import { FulfilMany } from '../fulfil-many.tsx';
import { badgeOf } from '../query.ts';

/** How many orders of one reference are shown. One request places no more. */
const SHOWN_MAX = 100;

/** The orders that share the reference of this one, if there are others. */
export function SameReference({ reference, orderId }: { reference: string; orderId: number }) {
  const query = { reference, state: ORDER_STATES, limit: SHOWN_MAX };
  const { data } = useQuery({
    key: ['listOrders', query],
    read: (signal) => store.orders.list(query, { signal }),
  });
  const orders = data?.items ?? [];
  const pets = usePets(orders.length > 1 ? orders.map(({ petId }) => petId) : undefined);
  const now = useNow();
  if (orders.length < 2 || pets.isPending) return null;
  const open = orders.filter(({ state }) => state === 'open');
  return (
    <Card title={words.ordersOf(orders.length, reference)}>
      <ul class="rows">
        {orders.map((order) => {
          const { id, petId, quantity } = order;
          const [tone, text] = badgeOf(order, now);
          const name = pets.get(petId)?.name ?? movementWords.pet(petId);
          return (
            <li key={id}>
              <span>
                {id === orderId ? (
                  <strong>{words.order(id)}</strong>
                ) : (
                  <a class="target" href={`${BASE}/orders/${id}`}>
                    {words.order(id)}
                  </a>
                )}
                <span class="second muted small name">{words.unitsOfPet(quantity, name)}</span>
              </span>
              <span class="push">
                <Badge tone={tone}>{text}</Badge>
              </span>
            </li>
          );
        })}
      </ul>
      {open.length > 1 && <FulfilMany orders={open} />}
    </Card>
  );
}
