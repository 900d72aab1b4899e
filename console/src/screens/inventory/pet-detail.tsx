import type { InventoryItem } from '@petstore/client';
import { useState } from 'preact/hooks';
import { NotFoundError } from '../../api/errors.ts';
import { isPending, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { categoriesQuery, lowStockAt, nameIn, usePets } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { Detail } from '../../parts/detail.tsx';
import { WriteState } from '../../parts/form/write-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { hrefWith } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { say } from '../../ui/say.ts';
import { catalogueWords } from '../../words/catalogue.ts';
import { controlWords } from '../../words/controls.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { movementWords } from '../../words/movements.ts';
import { Figures } from '../figures.tsx';
import { asOfValue, isHeld, statusOf } from './query.ts';
import { SetDialog } from './set-dialog.tsx';
import { StockHistory } from './stock-history.tsx';
import { Threshold } from './threshold.tsx';
import { useItem } from './use-item.ts';

interface PetDetailProps {
  petId: number;
  onAdjust: () => void;
  onClose: () => void;
}

export function PetDetail({ petId, onAdjust, onClose }: PetDetailProps) {
  const item = useItem(petId);
  const pets = usePets([petId]);
  const pet = pets.get(petId);
  const categories = useQuery(categoriesQuery);
  const category = categories.data?.items.find(({ id }) => id === pet?.categoryId)?.name;
  const [isSetting, setSetting] = useState(false);
  const isPast = asOfValue() !== undefined;
  const isGone = item.error instanceof NotFoundError;
  const name = nameIn(pets, petId);
  return (
    <Detail
      title={name}
      note={category === undefined ? movementWords.pet(petId) : words.detailNote(category, petId)}
      badge={item.data && <StatusBadge item={item.data.data} />}
      onClose={onClose}
    >
      {isGone ? (
        <Empty icon="package" title={words.goneTitle}>
          <p>{words.goneText}</p>
          <LinkButton href={hrefWith({ pet: undefined })}>{words.back}</LinkButton>
        </Empty>
      ) : (
        <Loaded query={item} rows={10} isHeld={pets.isPending || isPending(categories)}>
          {({ data }) => (
            <>
              {isPast && <p class="hint">{words.detailIsNow}</p>}
              <Figures item={data} lowAt={lowStockAt(pet)} />
              {pet && !isPast && (
                <p class="row threshold-row">
                  <span>{words.columns.lowAt}</span>
                  <Threshold pet={pet} />
                  <span class="hint">{words.lowAtHint(lowStockAt())}</span>
                </p>
              )}
              {isPast ? (
                <p class="hint">{words.asOfOff}</p>
              ) : (
                <Actions
                  item={data}
                  name={name}
                  onAdjust={onAdjust}
                  onSet={() => setSetting(true)}
                />
              )}
              <StockHistory item={data} name={name} />
            </>
          )}
        </Loaded>
      )}
      {isSetting && !isPast && item.data && (
        <SetDialog petId={petId} name={name} opened={item.data} onClose={() => setSetting(false)} />
      )}
    </Detail>
  );
}

function StatusBadge({ item }: { item: InventoryItem }) {
  const [tone, text] = statusOf(item);
  return <Badge tone={tone}>{text}</Badge>;
}

interface ActionsProps {
  item: InventoryItem;
  name: string;
  onAdjust: () => void;
  onSet: () => void;
}

function Actions({ item, name, onAdjust, onSet }: ActionsProps) {
  const held = isHeld(item);
  const offReason = scopeReason('write');
  const canHold = held || item.available > 0;
  const hold = useWrite<'pending' | 'available', unknown>({
    operation: 'updatePet',
    send: (status, idempotencyKey) => store.pets.update(item.petId, { status }, { idempotencyKey }),
    onDone: (_, status) =>
      say(status === 'pending' ? catalogueWords.held(name) : catalogueWords.unheld(name)),
  });
  return (
    <>
      <div class="actions even">
        <Button look="primary" icon="plus" offReason={offReason} onClick={onAdjust}>
          {words.adjust}
        </Button>
        <Button offReason={offReason} onClick={onSet}>
          {words.setCount}
        </Button>
        <Button
          isBusy={hold.state !== 'idle'}
          offReason={offReason ?? (canHold ? undefined : words.badges[item.status])}
          onClick={() => hold.run(held ? 'available' : 'pending')}
        >
          {hold.state === 'sending' ? controlWords.saving : held ? words.unhold : words.hold}
        </Button>
      </div>
      <WriteState write={hold} />
      {offReason !== undefined && <p class="hint">{offReason}</p>}
    </>
  );
}
