import { useLayoutEffect, useState } from 'preact/hooks';
import { may, scopeReason } from '../../api/session.ts';
import { readPetsOf } from '../../api/shared-queries.ts';
import { store } from '../../api/store.ts';
import { EXPORT_PAGE, ExportCsv } from '../../parts/export-csv.tsx';
import { useList } from '../../parts/use-list.ts';
import { BASE, hrefWith, queryNumber, queryValue, setQuery } from '../../router.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { dateTime } from '../../ui/format.ts';
import { Icon } from '../../ui/icons/icon.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';
import { navigationWords } from '../../words/shell/navigation.ts';
import { AdjustDialog } from './adjust-dialog.tsx';
import { Filters } from './filters.tsx';
import { InventoryList } from './inventory-list.tsx';
import { PetDetail } from './pet-detail.tsx';
import { asOfValue, inventoryFilter } from './query.ts';

/** Which pet the dialog is for, and which one was open beside the list when it was opened. */
interface Adjusting {
  petId: number | undefined;
  beside: number | undefined;
  hasPicker?: boolean;
}

export function InventoryScreen() {
  const filter = inventoryFilter();
  const asOf = asOfValue();
  const list = useList('listInventory', filter, (...args) => store.inventory.list(...args));
  const petId = queryNumber('pet');
  // Going to another pet closes the dialog, and so does going into the past, which cannot be changed.
  const [adjusting, setAdjusting] = useState<Adjusting | undefined>(undefined);
  const isAsked = queryValue('adjust') === '1' && asOf === undefined && may('write');
  // Before the screen is drawn, so that the dialog takes the focus.
  useLayoutEffect(() => {
    if (isAsked) setAdjusting({ petId, beside: petId, hasPicker: petId === undefined });
  }, [isAsked]);
  const adjust = (id: number) => setAdjusting({ petId: id, beside: petId });
  const isEmpty = !list.isFiltered && list.data?.items.length === 0;
  const offReason =
    scopeReason('write') ??
    (asOf !== undefined ? words.asOfOff : isEmpty ? words.nothingToAdjust : undefined);
  return (
    <div class={`with-detail${petId === undefined ? '' : ' open'}`}>
      <div class="stack list-side">
        <PageHead title={navigationWords.titles.inventory} lead={words.lead}>
          <ExportCsv
            fileName="inventory"
            columns={[
              'petId',
              'pet',
              'reference',
              'quantity',
              'reserved',
              'available',
              'lowStockAt',
              'status',
            ]}
            list={(signal) => store.inventory.list({ ...filter, limit: EXPORT_PAGE }, { signal })}
            shown={list.data}
            withNames={{
              requests: 1,
              add: async (items, signal) => {
                const named = await readPetsOf(items, signal);
                return items.map((item) => {
                  const { name: pet, reference, lowStockAt } = named.get(item.petId) ?? {};
                  return { ...item, pet, reference, lowStockAt };
                });
              },
            }}
          />
          <LinkButton href={`${BASE}/inventory/count`} offReason={scopeReason('write')}>
            {navigationWords.titles.count}
          </LinkButton>
          <Button
            look="primary"
            icon="plus"
            offReason={offReason}
            onClick={() => setAdjusting({ petId, beside: petId, hasPicker: true })}
          >
            {words.adjustStock}
          </Button>
        </PageHead>
        <Filters />
        {asOf !== undefined && (
          <p class="notice warn" role="status">
            <Icon name="history" />
            <span>{words.asOfNote(dateTime(asOf))}</span>
            <LinkButton href={hrefWith({ asOf: undefined, cursor: undefined })} size="small">
              {words.asOfNow}
            </LinkButton>
          </p>
        )}
        <InventoryList list={list} selected={petId} onAdjust={adjust} />
      </div>
      {petId !== undefined && (
        <PetDetail
          key={petId}
          petId={petId}
          onAdjust={() => adjust(petId)}
          onClose={() => setQuery({ pet: undefined, adjust: undefined })}
        />
      )}
      {adjusting && adjusting.beside === petId && asOf === undefined && (
        <AdjustDialog
          key={adjusting.petId}
          petId={adjusting.petId}
          hasPicker={adjusting.hasPicker === true}
          onClose={() => {
            setAdjusting(undefined);
            setQuery({ adjust: undefined }, { replace: true });
          }}
        />
      )}
    </div>
  );
}
