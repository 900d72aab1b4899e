import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { PetPicker } from '../../parts/pet-picker.tsx';
import { queryNumber, setFilter } from '../../router.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { orderWords as words } from '../../words/orders.ts';
import { tabInAddress } from './query.ts';

const hasDates = () => !['today', 'late'].includes(tabInAddress());

/** The filters stand in the address, so that a reload and a copied link show the same rows. */
export function Filters() {
  return (
    <FilterBar>
      <Choice
        label={words.show}
        value={tabInAddress()}
        options={Object.entries(words.tabs)}
        onChange={(value) => setFilter('show')(value === 'open' ? undefined : value)}
      />
      <AddressField name="q" label={words.search} placeholder={words.search} isSearch />
      <div class="share">
        <PetPicker
          label={words.petFilter}
          isBare
          placeholder={words.anyPet}
          petId={queryNumber('petId')}
          onChange={setFilter('petId')}
        />
      </div>
      {hasDates() && (
        <div class="row dates">
          <AddressField type="date" name="shipDateFrom" label={words.from} />
          <AddressField type="date" name="shipDateTo" isEnd label={words.to} />
        </div>
      )}
    </FilterBar>
  );
}
