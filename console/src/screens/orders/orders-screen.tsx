import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { nameIn, readPetsOf, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { EXPORT_PAGE, ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { useNow } from '../../ui/use-now.ts';
import { orderWords as words } from '../../words/orders.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { Filters } from './filters.tsx';
import { OrderDialogs, type OrderStep } from './order-dialogs.tsx';
import { OrdersList } from './orders-list.tsx';
import { orderFilter } from './query.ts';
import { SelectionBar, useSelection } from './selection.tsx';

export function OrdersScreen() {
  const filter = orderFilter(useNow());
  const list = useList('listOrders', filter, (...args) => store.orders.list(...args));
  const [step, setStep] = useState<OrderStep | undefined>(undefined);
  const selection = useSelection(list.data?.items ?? []);
  const pets = usePets(list.data?.items.map(({ petId }) => petId));
  const nameOf = (petId: number) => nameIn(pets, petId);
  return (
    <div class="stack has-sheet">
      <PageHead title={navigationWords.titles.orders} lead={words.lead}>
        <ExportCsv
          fileName="orders"
          columns={[
            'id',
            'petId',
            'pet',
            'quantity',
            'customer',
            'reference',
            'note',
            'shipDate',
            'state',
            'complete',
            'createdAt',
            'expiresAt',
            'endedAt',
            'endReason',
          ]}
          list={(signal) => store.orders.list({ ...filter, limit: EXPORT_PAGE }, { signal })}
          shown={list.data}
          withNames={{
            requests: 1,
            add: async (orders, signal) => {
              const named = await readPetsOf(orders, signal);
              return orders.map((order) => ({ ...order, pet: named.get(order.petId)?.name }));
            },
          }}
        />
        <LinkButton
          href={`${BASE}/orders/new`}
          look="primary"
          icon="plus"
          offReason={scopeReason('write')}
        >
          {words.place}
        </LinkButton>
      </PageHead>
      <Filters />
      <SelectionBar selection={selection} nameOf={nameOf} />
      <OrdersList
        list={list}
        selection={selection}
        nameOf={nameOf}
        isHeld={pets.isPending}
        onStep={setStep}
      />
      <OrderDialogs step={step} onClose={() => setStep(undefined)} />
    </div>
  );
}
