import { session } from '../../../api/session.ts';
import { Facts } from '../../../ui/facts.tsx';
import { date, number } from '../../../ui/format.ts';
import { Name, Table } from '../../../ui/table.tsx';
import { orderFieldWords, orderWords as words } from '../../../words/orders.ts';
import { firstToShip, groupsOf, titleOf } from '../order-groups.ts';
import type { SheetProps } from './pick-list.tsx';

/** A sheet for each parcel: orders that share a reference are packed together. */
export function PackingSlips({ orders, nameOf }: SheetProps) {
  return (
    <div class="sheet">
      {groupsOf(orders).map((group) => {
        const [{ id, customer, reference }] = group;
        const { shipDate } = firstToShip(group);
        const note = [...new Set(group.map((order) => order.note))].filter(Boolean).join('; ');
        const given = Object.entries({ customer, reference, note }).filter(([, text]) => text);
        return (
          <section key={id} class="slip">
            <p>{session.value?.workspaceName}</p>
            <h1>{words.slipTitle(titleOf(group))}</h1>
            <Facts
              facts={[
                ...given.map(([name, text]) => [orderFieldWords[name as 'note'], text] as const),
                [words.shipsAt, shipDate === undefined ? words.noDate : date(shipDate)],
              ]}
            />
            <Table
              label={words.slipTitle(titleOf(group))}
              rows={group}
              keyOf={({ id }) => id}
              columns={[
                { title: words.columns.order, cell: ({ id }) => words.order(id) },
                { title: words.columns.pet, cell: ({ petId }) => <Name>{nameOf(petId)}</Name> },
                {
                  title: words.columns.units,
                  align: 'end',
                  cell: ({ quantity }) => number(quantity),
                },
              ]}
            />
          </section>
        );
      })}
    </div>
  );
}
