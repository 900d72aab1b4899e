import { BASE, queryNumber } from '../../../router.ts';
import { BackLink } from '../../../ui/back-link.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { orderWords, newOrderWords as words } from '../../../words/orders.ts';
import { navigationWords } from '../../../words/shell/navigation.ts';
import { NewOrderForm } from './new-order-form.tsx';

export function NewOrderScreen() {
  return (
    <div class="stack narrow-page">
      <BackLink href={`${BASE}/orders`}>{orderWords.all}</BackLink>
      <PageHead title={navigationWords.titles.newOrder} lead={words.lead} />
      <NewOrderForm petId={queryNumber('petId')} />
    </div>
  );
}
