import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { queryValue, setQuery } from '../../router.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { catalogueWords as words } from '../../words/catalogue.ts';
import { CategorySelect } from './category-select.tsx';

/** The filters stand in the address, so that a reload and a copied link show the same rows. */
export function Filters() {
  return (
    <FilterBar>
      <Choice
        label={words.status}
        value={queryValue('status') ?? 'all'}
        options={Object.entries(words.statuses)}
        onChange={(value) =>
          setQuery({ status: value === 'all' ? undefined : value, cursor: undefined })
        }
      />
      <div class="category-filter">
        <CategorySelect
          label={words.category}
          isBare
          none={words.anyCategory}
          value={queryValue('categoryId') ?? ''}
          onChange={(categoryId) => setQuery({ categoryId, cursor: undefined })}
        />
      </div>
      <AddressField name="name" label={words.name} placeholder={words.namePlaceholder} isSearch />
    </FilterBar>
  );
}
