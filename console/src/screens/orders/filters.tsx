import { AddressField } from '../../parts/address-field.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { PetPicker } from '../../parts/pet-picker.tsx';
import { queryNumber, setQuery } from '../../router.ts';
import { Choice } from '../../ui/fields/field.tsx';
import { orderWords as words } from '../../words/orders.ts';
import { stateInAddress } from './query.ts';

const inAddress = { open: undefined, fulfilled: 'true', all: 'all' } as const;

/** The filters stand in the address, so that a reload and a copied link show the same rows. */
export function Filters() {
  return (
    <FilterBar>
      <Choice
        label={words.state}
        value={stateInAddress()}
        options={Object.entries(words.states)}
        onChange={(value) =>
          setQuery({ complete: inAddress[value as keyof typeof inAddress], cursor: undefined })
        }
      />
      <div class="grow">
        <PetPicker
          label={words.petFilter}
          isBare
          isFilter
          placeholder={words.anyPet}
          petId={queryNumber('petId')}
          onChange={(petId) => setQuery({ petId, cursor: undefined })}
        />
      </div>
      <div class="row dates">
        <AddressField type="date" name="shipDateFrom" label={words.from} />
        <AddressField type="date" name="shipDateTo" isEnd label={words.to} />
      </div>
    </FilterBar>
  );
}
