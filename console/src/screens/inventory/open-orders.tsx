import { useQuery } from '../../api/query.ts';
import { store } from '../../api/store.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { date } from '../../ui/format.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { movementWords } from '../../words/movements.ts';

const SHOWN = 10;

/** The orders that hold units of this pet. */
export function OpenOrders({ petId }: { petId: number }) {
  const query = { petId, complete: false, limit: SHOWN, sort: '-id' } as const;
  const orders = useQuery({
    key: ['listOrders', query],
    read: (signal) => store.orders.list(query, { signal }),
  });
  return (
    <section class="stack tight">
      <h3>{words.openOrders}</h3>
      <Loaded query={orders} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">{words.noOpenOrders}</p>
          ) : (
            <ul class="rows">
              {items.map(({ id, quantity = 1, shipDate }) => (
                <li key={id}>
                  <a href={`${BASE}/orders/${id}`}>{movementWords.order(id ?? 0)}</a>
                  {shipDate !== undefined && (
                    <span class="muted">{words.ships(date(shipDate))}</span>
                  )}
                  <span class="push number">{words.orderUnits(quantity)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
