import type { Order } from '@petstore/client';
import { NotFoundError } from '../../api/errors.ts';
import { useKeyNames } from '../../api/shared-queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { BASE } from '../../router.ts';
import { Card } from '../../ui/card.tsx';
import { dateTime, past } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { useNow } from '../../ui/use-now.ts';
import { orderWords as words } from '../../words/orders.ts';
import { useMovements } from '../inventory/stock-history.tsx';
import { beforeAfterText, Cause, whoOf } from '../movement.tsx';

/** What this order did to the stock of its pet. */
export function OrderLedger({ order: { id, petId = 0 } }: { order: Order }) {
  const now = useNow();
  const movements = useMovements(petId);
  const names = useKeyNames(movements.data?.items);
  // The ledger of a deleted pet is hidden; the card beside this one says so.
  if (movements.error instanceof NotFoundError) return null;
  return (
    <Card
      title={words.ledger}
      subtitle={words.ledgerNote}
      aside={
        <a class="more-link" href={`${BASE}/ledger?petId=${petId}`}>
          {words.wholeLedger} <Icon name="chevron-right" size={16} />
        </a>
      }
    >
      <Loaded query={movements} rows={1} isHeld={names.isPending}>
        {({ items, nextCursor }) => {
          const own = items.filter(({ orderId }) => orderId === id);
          if (own.length === 0) {
            return (
              <p class="muted">
                {nextCursor === undefined ? words.noLedgerYet : words.noLedger(items.length)}
              </p>
            );
          }
          return (
            <ul class="rows">
              {own.map((movement) => (
                <li key={movement.id}>
                  <span>
                    <Cause movement={movement} />
                    <span class="second muted small" title={dateTime(movement.at)}>
                      {whoOf(movement, names)}, {past(movement.at, now)}
                    </span>
                  </span>
                  <span class="push number">{beforeAfterText(movement)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
