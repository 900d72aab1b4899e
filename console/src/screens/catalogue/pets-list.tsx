import type { Page, Pet } from '@petstore/client';
import { isPending, useQuery } from '../../api/query.ts';
import { categoriesQuery } from '../../api/shared-queries.ts';
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

export interface PetsListProps {
  list: List<Page<Pet>>;
  onStep: (step: PetStep) => void;
}

export function PetsList({ list, onStep }: PetsListProps) {
  const categories = useQuery(categoriesQuery);
  const columns = columnsOf(useCategoryName(), onStep);
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      isHeld={isPending(categories)}
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

function columnsOf(
  categoryName: (id: number) => string,
  onStep: PetsListProps['onStep'],
): Column<Pet>[] {
  return [
    {
      title: words.columns.pet,
      sort: sortBy('name', 'id'),
      cell: ({ id, name, categoryId, status }) => (
        <>
          <a data-row href={`${BASE}/inventory?pet=${id}`}>
            {name}
          </a>
          <span class="second only-wide">{words.pet(id)}</span>
          <span class="second only-narrow">
            {words.narrowNote(categoryName(categoryId), words.statuses[status])}
          </span>
          <Note petId={id} />
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
      cell: ({ status }) => <Badge tone={tones[status]}>{words.statuses[status]}</Badge>,
    },
    {
      title: words.columns.do,
      isBare: true,
      align: 'end',
      cell: (pet) => <PetActions pet={pet} onStep={onStep} />,
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
