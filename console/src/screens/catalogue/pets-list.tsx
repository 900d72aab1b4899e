import type { Page, Pet } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { categoriesQuery, useStock } from '../../api/shared-queries.ts';
import { FirstPet } from '../../parts/first-pet.tsx';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import { sortBy } from '../../parts/sort-by.ts';
import type { List } from '../../parts/use-list.ts';
import { BASE, hrefWith } from '../../router.ts';
import { Badge } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import type { Column } from '../../ui/table.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { tones } from '../inventory/query.ts';
import { useCategoryName } from './category-select.tsx';
import { PetActions, type PetStep } from './pet-actions.tsx';
import { petNotes } from './pet-notes.ts';

interface PetsListProps {
  list: List<Page<Pet>>;
  onStep: (step: PetStep) => void;
}

export function PetsList({ list, onStep }: PetsListProps) {
  const categories = useQuery(categoriesQuery);
  // The status of a pet does not say whether it is on hold or all its units are reserved. Its stock does.
  const pending = list.data?.items.filter(({ status }) => status === 'pending');
  const stock = useStock(pending?.map(({ id }) => id));
  const isReserved = ({ id, status }: Pet) => {
    const item = stock.get(id);
    return status === 'pending' && item?.status === 'pending' && item.available === 0;
  };
  const columns = columnsOf({ categoryName: useCategoryName(), isReserved, onStep });
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      isHeld={isPending(categories) || stock.isPending}
      columns={columns}
      keyOf={({ id }) => id}
      empty={() => (
        <NoRows
          icon="paw-print"
          words={words.noRows}
          isFiltered={list.isFiltered}
          path="/catalogue"
        >
          <FirstPet />
          <LinkButton href={`${BASE}/catalogue/categories`}>{words.toCategories}</LinkButton>
        </NoRows>
      )}
      onPage={words.onPage}
    />
  );
}

interface ColumnOptions extends Pick<PetsListProps, 'onStep'> {
  categoryName: (id: number) => string;
  isReserved: (pet: Pet) => boolean;
}

function columnsOf({ categoryName, isReserved, onStep }: ColumnOptions): Column<Pet>[] {
  const statusOf = (pet: Pet) =>
    pet.status === 'pending' && !isReserved(pet) ? words.onHold : words.statuses[pet.status];
  return [
    {
      title: words.columns.pet,
      sort: sortBy('name', 'id'),
      cell: (pet) => (
        <>
          <a data-row href={`${BASE}/inventory?pet=${pet.id}`}>
            {pet.name}
          </a>
          <span class="second only-wide">{words.petNote(pet.id, pet.reference)}</span>
          <span class="second only-narrow">
            {words.narrowNote(categoryName(pet.categoryId), statusOf(pet))}
          </span>
          <Note petId={pet.id} />
        </>
      ),
    },
    {
      title: words.columns.category,
      isWide: true,
      cell: ({ categoryId }) => (
        <a class="plain" href={hrefWith({ categoryId, cursor: undefined })}>
          {categoryName(categoryId)}
        </a>
      ),
    },
    {
      title: words.columns.status,
      isWide: true,
      cell: (pet) => <Badge tone={tones[pet.status]}>{statusOf(pet)}</Badge>,
    },
    {
      title: words.columns.do,
      isBare: true,
      align: 'end',
      cell: (pet) => <PetActions pet={pet} isReserved={isReserved(pet)} onStep={onStep} />,
    },
  ];
}

/** What became of the last change of this row. */
function Note({ petId }: { petId: number }) {
  const note = petNotes.value[petId];
  return (
    <span role="status" class="live">
      {note && <span class={`second${note.kind === 'refused' ? ' late' : ''}`}>{note.text}</span>}
    </span>
  );
}
