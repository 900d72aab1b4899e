import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { queryValue, setQuery } from '../../router.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { toLocalInput } from '../../ui/local-time.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { asOfValue, latestPast } from './query.ts';

/** The filters stand in the address, so that a reload and a copied link show the same rows. */
export function Filters() {
  return (
    <FilterBar>
      {asOfValue() === undefined && (
        <>
          <Choice
            label={words.status}
            value={queryValue('status') ?? 'all'}
            options={Object.entries(words.statuses)}
            onChange={(value) =>
              setQuery({ status: value === 'all' ? undefined : value, cursor: undefined })
            }
          />
          <AddressField
            name="availableBelow"
            label={words.availableBelow}
            inputMode="numeric"
            pattern={/^\d{0,6}$/}
            width="narrow"
          />
        </>
      )}
      <AddressField
        type="datetime-local"
        name="asOf"
        label={words.asOf}
        max={toLocalInput(new Date(latestPast()).toISOString())}
        clears={['status', 'availableBelow']}
      />
      <AddressField
        name="name"
        label={words.name}
        placeholder={words.namePlaceholder}
        isSearch
        width="grow"
      />
    </FilterBar>
  );
}
