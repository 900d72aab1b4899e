import type { InventoryItem, Page } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { scopeReason } from '../../api/session.ts';
import { categoriesQuery, lowStockAt, nameIn, usePets } from '../../api/shared-queries.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import type { List } from '../../parts/use-list.ts';
import { BASE, hrefWith } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconAction, LinkButton } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import type { Column } from '../../ui/table.tsx';
import { inventoryWords as words } from '../../words/inventory.ts';
import { asOfValue, statusOf } from './query.ts';
import { StockBar } from './stock-bar.tsx';
import { Threshold } from './threshold.tsx';

interface InventoryListProps {
  list: List<Page<InventoryItem>>;
  selected: number | undefined;
  onAdjust: (petId: number) => void;
}

export function InventoryList({ list, selected, onAdjust }: InventoryListProps) {
  const pets = usePets(list.data?.items.map(({ petId }) => petId));
  const categories = useQuery(categoriesQuery);
  const nameOf = (petId: number) => nameIn(pets, petId);
  const noteOf = (petId: number) => {
    const id = pets.get(petId)?.categoryId;
    const category = categories.data?.items.find((each) => each.id === id)?.name;
    return category === undefined ? String(petId) : words.petNote(category, petId);
  };
  const most = Math.max(1, ...(list.data?.items ?? []).map(({ quantity }) => quantity));
  const columns: Column<InventoryItem>[] = [
    {
      title: words.columns.pet,
      cell: (item) => (
        <>
          <a data-row href={hrefWith({ pet: item.petId })}>
            {nameOf(item.petId)}
          </a>
          <span class="second">
            {noteOf(item.petId)}
            <span class="only-narrow"> · {statusOf(item)[1]}</span>
          </span>
        </>
      ),
    },
    {
      title: words.scale(most),
      isWide: true,
      cell: (item) => <StockBar item={item} most={most} />,
    },
    { title: words.columns.onHand, align: 'end', cell: ({ quantity }) => number(quantity) },
    {
      title: words.columns.reserved,
      align: 'end',
      isWide: true,
      cell: ({ reserved }) => <span class="muted">{number(reserved)}</span>,
    },
    {
      title: words.columns.available,
      align: 'end',
      cell: ({ petId, available }) => (
        <strong class={available <= lowStockAt(pets.get(petId)) ? 'text-warn' : undefined}>
          {number(available)}
        </strong>
      ),
    },
    {
      title: words.columns.status,
      isWide: true,
      cell: (item) => {
        const [tone, text] = statusOf(item);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
  ];
  // The past cannot be changed.
  if (asOfValue() === undefined) {
    columns.push({
      title: words.columns.lowAt,
      align: 'end',
      isWide: true,
      cell: ({ petId }) => {
        const pet = pets.get(petId);
        return pet && <Threshold pet={pet} />;
      },
    });
    columns.push({
      title: words.columns.edit,
      isBare: true,
      align: 'end',
      cell: ({ petId }) => (
        <IconAction
          icon="pencil"
          isEdit
          label={words.adjustOf(nameOf(petId))}
          offReason={scopeReason('write')}
          onClick={() => onAdjust(petId)}
        />
      ),
    });
  }
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      isHeld={pets.isPending || isPending(categories)}
      columns={columns}
      keyOf={({ petId }) => petId}
      isSelected={({ petId }) => petId === selected}
      empty={() => (
        <NoRows icon="package" words={words.noRows} isFiltered={list.isFiltered} path="/inventory">
          <FirstPet />
          <LinkButton href={`${BASE}/catalogue`}>{words.toCatalogue}</LinkButton>
        </NoRows>
      )}
      onPage={words.onPage}
    />
  );
}
