import { session } from '../../../api/session.ts';
import { Facts } from '../../../ui/facts.tsx';
import { date, number } from '../../../ui/format.ts';
import { orderWords as words } from '../../../words/orders.ts';
import type { SheetProps } from './pick-list.tsx';

/** A sheet for each parcel. */
export function PackingSlips({ orders, nameOf }: SheetProps) {
  return (
    <div class="sheet">
      {orders.map(({ id, petId, quantity, shipDate }) => (
        <section key={id} class="slip">
          <p>{session.value?.workspaceName}</p>
          <h1>{words.slipTitle(id)}</h1>
          <Facts
            facts={[
              [words.pet, nameOf(petId)],
              [words.columns.units, number(quantity)],
              [words.shipsAt, shipDate === undefined ? words.noDate : date(shipDate)],
            ]}
          />
        </section>
      ))}
    </div>
  );
}
