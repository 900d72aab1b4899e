import type { ListLedgerQuery, Pet } from '@petstore/client';
import { nameIn } from '../../api/shared-queries.ts';
import { PeriodFields } from '../../parts/address-field.tsx';
import { FilterBar, KeyFilter } from '../../parts/filter-bar.tsx';
import { queryNumber, queryValue, setFilter } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { ledgerWords as words } from '../../words/ledger.ts';
import { movementWords } from '../../words/movements.ts';

const causes = Object.entries(movementWords.causes);

/** Undefined if the ledger has no such cause. */
export function causeInAddress(): ListLedgerQuery['cause'] {
  const given = queryValue('cause');
  return causes.find(([cause]) => cause === given)?.[0] as ListLedgerQuery['cause'];
}

interface LedgerFiltersProps {
  pets: ReadonlyMap<number, Pet>;
}

export function LedgerFilters({ pets }: LedgerFiltersProps) {
  const petId = queryNumber('petId');
  return (
    <FilterBar>
      <SelectField
        label={words.cause}
        value={causeInAddress() ?? ''}
        options={[['', words.allCauses], ...causes]}
        onChange={setFilter('cause')}
      />
      <KeyFilter />
      <SelectField
        label={words.order}
        value={queryValue('sort') === 'id' ? 'id' : ''}
        options={[
          ['', words.newestFirst],
          ['id', words.oldestFirst],
        ]}
        onChange={setFilter('sort')}
      />
      <PeriodFields />
      {petId !== undefined && (
        <Button icon="x" size="small" onClick={() => setFilter('petId')(undefined)}>
          {words.onlyPet(nameIn(pets, petId))}
        </Button>
      )}
    </FilterBar>
  );
}
