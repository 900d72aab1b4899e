import { NotFoundError } from '../../../api/errors.ts';
import { lowStockAt, usePets } from '../../../api/shared-queries.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { BASE } from '../../../router.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { number } from '../../../ui/format.ts';
import { orderWords as words } from '../../../words/orders.ts';
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
          {({ data: { quantity, reserved, available } }) => (
            <>
              <dl class="figures">
                <Figure title={words.onHand} value={quantity} />
                <Figure title={words.reserved} value={reserved} />
                <Figure
                  title={words.available}
                  value={available}
                  isLow={available <= lowStockAt(pet)}
                />
              </dl>
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

function Figure({ title, value, isLow }: { title: string; value: number; isLow?: boolean }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class={isLow ? 'text-warn' : undefined}>{number(value)}</dd>
    </div>
  );
}
