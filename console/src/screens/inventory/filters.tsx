import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { setQuery } from '../../router.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { toLocalInput } from '../../ui/local-time.ts';
import { inventoryWords as words } from '../../words/inventory.ts';
import { asOfValue, isLowInAddress, latestPast, statusInAddress } from './query.ts';

/** The filters stand in the address, so that a reload and a copied link show the same rows. */
export function Filters() {
  return (
    <FilterBar>
      {asOfValue() === undefined && (
        <>
          <Choice
            label={words.status}
            value={isLowInAddress() ? 'low' : (statusInAddress() ?? 'all')}
            options={Object.entries(words.statuses)}
            onChange={(value) =>
              setQuery({
                status: value === 'all' || value === 'low' ? undefined : value,
                low: value === 'low' ? 1 : undefined,
                cursor: undefined,
              })
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
        clears={['status', 'low', 'availableBelow']}
      />
      <AddressField name="name" label={words.name} placeholder={words.namePlaceholder} isSearch />
    </FilterBar>
  );
}
