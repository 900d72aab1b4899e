import type { Order } from '@petstore/client';
import { number } from '../../../ui/format.ts';
import { Name, Table } from '../../../ui/table.tsx';
import { orderWords as words } from '../../../words/orders.ts';

export interface SheetProps {
  orders: readonly Order[];
  nameOf: (petId: number) => string;
}

/** What to fetch from the shelves, by pet. */
export function PickList({ orders, nameOf }: SheetProps) {
  const byPet = [...Map.groupBy(orders, ({ petId }) => petId)];
  return (
    <section class="sheet">
      <h1>{words.pickTitle}</h1>
      <Table
        label={words.pickTitle}
        rows={byPet}
        keyOf={([petId]) => petId}
        columns={[
          { title: words.columns.pet, cell: ([petId]) => <Name>{nameOf(petId)}</Name> },
          {
            title: words.columns.units,
            align: 'end',
            cell: ([, own]) => number(own.reduce((sum, { quantity }) => sum + quantity, 0)),
          },
          {
            title: words.pickOrders,
            cell: ([, own]) =>
              own
                .map(({ id, reference, customer, quantity }) =>
                  words.pickOrder(quantity, reference ?? words.order(id), customer),
                )
                .join('; '),
          },
        ]}
      />
    </section>
  );
}
