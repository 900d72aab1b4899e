import type { Category, Page } from '@petstore/client';
import { scopeReason } from '../../api/session.ts';
import { NoRows } from '../../parts/no-rows.tsx';
import { RecordList } from '../../parts/record-list.tsx';
import type { List } from '../../parts/use-list.ts';
import { BASE } from '../../router.ts';
import { Button, IconAction } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { curlText } from '../../ui/curl.tsx';
import { Icon } from '../../ui/icons/icon.tsx';
import type { Column } from '../../ui/table.tsx';
import { categoryWords as words } from '../../words/catalogue.ts';

/** What the screen of the categories is asked to open. */
export type CategoryStep = { kind: 'new' } | { kind: 'edit' | 'delete'; category: Category };

interface CategoriesListProps {
  list: List<Page<Category>>;
  onStep: (step: CategoryStep) => void;
}

export function CategoriesList({ list, onStep }: CategoriesListProps) {
  return (
    <RecordList
      label={words.listLabel}
      list={list}
      lines={6}
      columns={columnsOf(onStep)}
      keyOf={({ id }) => id}
      empty={() => (
        <NoRows
          icon="tag"
          words={words.noRows}
          isFiltered={list.isFiltered}
          path="/catalogue/categories"
        >
          <Code>{curlText({ method: 'POST', path: '/categories', body: { name: 'Dogs' } })}</Code>
          <Button offReason={scopeReason('write')} onClick={() => onStep({ kind: 'new' })}>
            {words.new}
          </Button>
        </NoRows>
      )}
      onPage={words.onPage}
    />
  );
}

function columnsOf(onStep: CategoriesListProps['onStep']): Column<Category>[] {
  const petsOf = (id: number) => `${BASE}/catalogue?categoryId=${id}`;
  const offReason = scopeReason('write');
  return [
    {
      title: words.columns.name,
      cell: ({ id, name, description }) => (
        <>
          <a data-row href={petsOf(id)}>
            {name}
          </a>
          <span class="second">{description ?? words.noDescription}</span>
        </>
      ),
    },
    {
      title: words.columns.pets,
      isWide: true,
      cell: ({ id, name }) => (
        <a class="more-link" href={petsOf(id)}>
          {words.showPets} <span class="visually-hidden">{words.ofCategory(name)}</span>
          <Icon name="chevron-right" size={16} />
        </a>
      ),
    },
    {
      title: words.columns.do,
      isBare: true,
      align: 'end',
      cell: (category) => (
        <span class="row-actions">
          <IconAction
            icon="pencil"
            isEdit
            label={words.editOf(category.name)}
            offReason={offReason}
            onClick={() => onStep({ kind: 'edit', category })}
          />
          <IconAction
            icon="trash-2"
            label={words.deleteOf(category.name)}
            offReason={offReason}
            onClick={() => onStep({ kind: 'delete', category })}
          />
        </span>
      ),
    },
  ];
}
