import { AddressField, PeriodFields } from '../../parts/address-field.tsx';
import { FilterBar, KeyFilter } from '../../parts/filter-bar.tsx';
import { queryValue, setFilter } from '../../router.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import { requestWords as words } from '../../words/account/requests.ts';
import { OnlyWorkspace, otherWorkspace } from '../other-workspace.tsx';

/** The statuses that the service answers requests with which it knows. */
const STATUSES = [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503];

/** A status or a class of them; undefined if the address has none. */
export function statusInAddress(): string | undefined {
  const given = queryValue('status') ?? '';
  return /^[1-5](xx|\d\d)$/.test(given) ? given : undefined;
}

/** The longest name that the service takes as a filter. */
const NAME = /^\w{0,100}$/;

export function RequestFilters() {
  return (
    <FilterBar>
      <SelectField
        label={words.status}
        value={statusInAddress() ?? ''}
        options={[
          ['', words.anyStatus],
          ...Object.entries(words.classes),
          ...STATUSES.map((status) => [String(status), String(status)] as const),
        ]}
        onChange={setFilter('status')}
      />
      <KeyFilter isOwn={otherWorkspace() === undefined} />
      <AddressField
        name="code"
        label={words.code}
        placeholder={words.codePlaceholder}
        pattern={NAME}
      />
      <AddressField
        name="operationId"
        label={words.operation}
        placeholder={words.operationPlaceholder}
        pattern={NAME}
      />
      <PeriodFields />
      <OnlyWorkspace />
    </FilterBar>
  );
}
