import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { LinkButton } from '../../ui/button.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { orderWords as words } from '../../words/orders.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { Filters } from './filters.tsx';
import { OrderDialogs, type OrderStep } from './order-dialogs.tsx';
import { OrdersList } from './orders-list.tsx';
import { orderFilter } from './query.ts';

export function OrdersScreen() {
  const filter = orderFilter();
  const list = useList('listOrders', filter, (...args) => store.orders.list(...args));
  const [step, setStep] = useState<OrderStep | undefined>(undefined);
  return (
    <div class="stack">
      <PageHead title={navigationWords.titles.orders} lead={words.lead}>
        <ExportCsv
          fileName="orders"
          columns={['id', 'petId', 'quantity', 'shipDate', 'complete', 'createdAt', 'expiresAt']}
          list={(signal) => store.orders.list({ ...filter, limit: 100 }, { signal })}
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
      <OrdersList list={list} onStep={setStep} />
      <OrderDialogs step={step} onClose={() => setStep(undefined)} />
    </div>
  );
}
