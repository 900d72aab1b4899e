import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { queryValue, setFilter } from '../../router.ts';
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
        onChange={(value) => setFilter('status')(value === 'all' ? undefined : value)}
      />
      <div class="category-filter">
        <CategorySelect
          label={words.category}
          isBare
          none={words.anyCategory}
          value={queryValue('categoryId') ?? ''}
          onChange={setFilter('categoryId')}
        />
      </div>
      <AddressField name="name" label={words.name} placeholder={words.namePlaceholder} isSearch />
    </FilterBar>
  );
}
