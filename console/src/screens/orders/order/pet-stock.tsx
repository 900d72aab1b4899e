import { NotFoundError } from '../../../api/errors.ts';
import { lowStockAt, usePets } from '../../../api/shared-queries.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { BASE } from '../../../router.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { orderWords as words } from '../../../words/orders.ts';
import { Figures } from '../../figures.tsx';
import { useItem } from '../../inventory/use-item.ts';

/** The counts of the order's pet, now. */
export function PetStock({ petId }: { petId: number }) {
  const item = useItem(petId);
  const pet = usePets([petId]).get(petId);
  return (
    <Card title={words.stock}>
      {item.error instanceof NotFoundError ? (
        <p class="muted">{words.petGone}</p>
      ) : (
        <Loaded query={item} rows={3}>
          {({ data }) => (
            <>
              <Figures item={data} lowAt={lowStockAt(pet)} />
              <LinkButton href={`${BASE}/inventory?pet=${petId}`} icon="package">
                {words.toInventory}
              </LinkButton>
            </>
          )}
        </Loaded>
      )}
    </Card>
  );
}
