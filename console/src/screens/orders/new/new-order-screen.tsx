import { BASE, queryValue } from '../../../router.ts';
import { BackLink } from '../../../ui/back-link.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { orderWords, newOrderWords as words } from '../../../words/orders.ts';
import { navigationWords } from '../../../words/shell/navigation.ts';
import { NewOrderForm } from './new-order-form.tsx';

export function NewOrderScreen() {
  const petId = Number(queryValue('petId'));
  return (
    <div class="stack narrow-page">
      <BackLink href={`${BASE}/orders`}>{orderWords.all}</BackLink>
      <PageHead title={navigationWords.titles.newOrder} lead={words.lead} />
      <NewOrderForm petId={Number.isInteger(petId) && petId > 0 ? petId : undefined} />
    </div>
  );
}
