import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { hrefWith, queryNumber, queryValue, setQuery } from '../../router.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { dateTime } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { controlWords } from '../../words/controls.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { AdjustDialog } from './adjust-dialog.tsx';
import { Filters } from './filters.tsx';
import { InventoryList } from './inventory-list.tsx';
import { PetDetail } from './pet-detail.tsx';
import { asOfValue, inventoryFilter } from './query.ts';

export function InventoryScreen() {
  const filter = inventoryFilter();
  const asOf = asOfValue();
  const list = useList('listInventory', filter, (...args) => store.inventory.list(...args));
  const petId = queryNumber('pet');
  // Going to another pet closes the dialog.
  const [[adjusted, adjustedBeside], setOpen] = useState([
    queryValue('adjust') === '1' && may('write') ? petId : undefined,
    petId,
  ]);
  const setAdjusted = (id?: number) => setOpen([id, petId]);
  const offReason = !may('write')
    ? controlWords.needsScope('write')
    : petId === undefined && list.data?.items.length === 0
      ? words.nothingToAdjust
      : undefined;
  return (
    <div class={`with-detail${petId === undefined ? '' : ' open'}`}>
      <div class="stack list-side">
        <PageHead title={navigationWords.titles.inventory} lead={words.lead}>
          <ExportCsv
            fileName="inventory"
            columns={['petId', 'quantity', 'reserved', 'available', 'status']}
            list={(signal) => store.inventory.list({ ...filter, limit: 100 }, { signal })}
          />
          <Button
            look="primary"
            icon="plus"
            offReason={offReason}
            onClick={() => setAdjusted(petId ?? list.data?.items[0]?.petId)}
          >
            {words.adjustStock}
          </Button>
        </PageHead>
        <Filters />
        {asOf !== undefined && (
          <p class="notice" role="status">
            <Icon name="history" />
            <span>{words.asOfNote(dateTime(asOf))}</span>
            <LinkButton href={hrefWith({ asOf: undefined, cursor: undefined })} size="small">
              {words.asOfNow}
            </LinkButton>
          </p>
        )}
        <InventoryList list={list} selected={petId} onAdjust={setAdjusted} />
      </div>
      {petId !== undefined && (
        <PetDetail
          key={petId}
          petId={petId}
          onAdjust={() => setAdjusted(petId)}
          onClose={() => setQuery({ pet: undefined, adjust: undefined })}
        />
      )}
      {adjusted !== undefined && adjustedBeside === petId && (
        <AdjustDialog
          key={adjusted}
          petId={adjusted}
          onClose={() => {
            setAdjusted();
            setQuery({ adjust: undefined }, { replace: true });
          }}
        />
      )}
    </div>
  );
}
